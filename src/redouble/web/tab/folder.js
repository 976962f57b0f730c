// A folder for Python whose files are private files of the browser (OPFS).
//
// Python writes at once and can't wait, so a few files are opened before it begins. Each begins
// with the name of the file that it holds, and is free without one. What has been flushed is kept
// when the tab is killed. All that is read comes from memory.
const SLOTS = 24;
const HEAD = 4096;

export async function openFolder(FS, codes, path) {
  const root = await (
    await navigator.storage.getDirectory()
  ).getDirectoryHandle("redouble", { create: true });
  const slots = [];
  for (let i = 0; i < SLOTS; i++) {
    const kept = await root.getFileHandle(`${i}`, { create: true });
    const handle = await kept.createSyncAccessHandle();
    slots.push({ handle, ...headOf(handle) });
  }
  let newest = Math.max(...slots.map((slot) => slot.age));

  const { MEMFS } = FS.filesystems;
  const full = () => new FS.ErrnoError(codes.ENOSPC);
  const attempt = (work) => {
    try {
      return work();
    } catch {
      throw full();
    }
  };
  const nameOf = (node) => (node.parent === node ? "" : `${nameOf(node.parent)}/${node.name}`);

  const keep = (node, name) => {
    const slot = slots.find((one) => !one.name);
    if (!slot) throw full();
    attempt(() => slot.handle.truncate(HEAD));
    rename(slot, name);
    node.slot = slot;
    node.node_ops = fileNodes;
    node.stream_ops = fileStreams;
  };
  const rename = (slot, name) => {
    const bytes = new Uint8Array(HEAD);
    const { written } = new TextEncoder().encodeInto(name, bytes.subarray(10));
    const view = new DataView(bytes.buffer);
    view.setFloat64(0, ++newest);
    view.setUint16(8, written);
    attempt(() => slot.handle.write(bytes, { at: 0 }));
    slot.handle.flush();
    slot.name = name;
  };
  const free = (node) => node.slot && rename(node.slot, "");

  const { file, dir } = MEMFS.ops_table;
  const fileNodes = {
    ...file.node,
    setattr(node, given) {
      if (given.size !== undefined) attempt(() => node.slot.handle.truncate(HEAD + given.size));
      file.node.setattr(node, given);
    },
  };
  const fileStreams = {
    ...file.stream,
    write(stream, buffer, offset, length, position) {
      const bytes = buffer.slice(offset, offset + length);
      attempt(() => stream.node.slot.handle.write(bytes, { at: HEAD + position }));
      return file.stream.write(stream, buffer, offset, length, position, false);
    },
    fsync(stream) {
      attempt(() => stream.node.slot.handle.flush());
      return 0;
    },
  };
  const folderNodes = {
    ...dir.node,
    mknod(parent, name, mode, device) {
      const node = MEMFS.createNode(parent, name, mode, device);
      if (FS.isFile(mode)) keep(node, `${nameOf(parent)}/${name}`);
      else node.node_ops = folderNodes;
      return node;
    },
    rename(node, parent, name) {
      const there = parent.contents[name];
      const slot = node.slot;
      dir.node.rename(node, parent, name);
      if (slot) rename(slot, `${nameOf(parent)}/${name}`);
      if (there) free(there);
    },
    unlink(parent, name) {
      free(parent.contents[name]);
      dir.node.unlink(parent, name);
    },
  };

  const fileSystem = {
    mount() {
      const node = MEMFS.createNode(null, "/", 0o040700, 0);
      node.node_ops = folderNodes;
      return node;
    },
  };
  FS.mkdirTree(path);
  const top = FS.mount(fileSystem, {}, path);
  // A tab that was killed while it renamed a file may have left the one that was replaced.
  slots.sort((one, other) => other.age - one.age);
  for (const slot of slots.filter((one) => one.name)) {
    if (slots.find((one) => one.name === slot.name) !== slot) {
      rename(slot, "");
      continue;
    }
    const parts = slot.name.split("/").slice(1);
    let parent = top;
    for (const part of parts.slice(0, -1)) {
      parent.contents[part] ??= folderNodes.mknod(parent, part, 0o040700, 0);
      parent = parent.contents[part];
    }
    const node = MEMFS.createNode(parent, parts.at(-1), 0o100600, 0);
    const bytes = new Uint8Array(slot.handle.getSize() - HEAD);
    slot.handle.read(bytes, { at: HEAD });
    Object.assign(node, { slot, contents: bytes, usedBytes: bytes.length });
    Object.assign(node, { node_ops: fileNodes, stream_ops: fileStreams });
  }
}

// Returns the name of the file in a slot, empty if it is free, and a number that grew with each.
function headOf(handle) {
  const bytes = new Uint8Array(HEAD);
  if (handle.read(bytes, { at: 0 }) < HEAD) return { name: "", age: 0 };
  const view = new DataView(bytes.buffer);
  const name = new TextDecoder().decode(bytes.subarray(10, 10 + view.getUint16(8)));
  return { name, age: view.getFloat64(0) };
}
