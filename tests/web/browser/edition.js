// What tests do in a page, a worker or the storage of the edition in a tab: see test_tab.py.

// Asks the interface for programs, at `base` with a `token`.
const asker =
  (base, token = "") =>
  async (path, given) => {
    const headers = { "content-type": "application/json", authorization: `Bearer ${token}` };
    const asked = given ? { method: "POST", headers, body: JSON.stringify(given) } : { headers };
    return (await fetch(`${base}api/${path}`, asked)).json();
  };
globalThis.newToken = async (base) => (await asker(base)("guests", {})).token;

// Plays against masters, asks for a hint and a review, waiting no longer than a number of milliseconds for each; returns
// what went wrong.
globalThis.think = async (base, patience) => {
  const ask = asker(base, await newToken(base));
  const until = async (path, there, given) => {
    const late = Date.now() + patience;
    let found;
    while (Date.now() < late) {
      found = await ask(path, given);
      if (there(found)) return found;
    }
    throw new Error(`${path} stays ${JSON.stringify(found)}`);
  };
  const wrong = [];
  let most = 0,
    hinted = false;
  const { games } = await ask("games");
  for (const { name: game, seats } of games.filter((each) => each.seats.max > 1)) {
    const bots = Array(seats.min - 1).fill({ kind: "bot", level: "master" });
    let table = await ask("tables", { game, seats: [{ kind: "me" }, ...bots], pace: "instant" });
    const path = `tables/${table.table}`;
    if (table.my_turn && !hinted) {
      const hint = await until(`${path}/hint`, (now) => !now.again, {});
      if (hint.quick) wrong.push(`${game}: a hint is a guess`);
      hinted = true; // it searches like a master
    }
    while (table.my_turn) {
      const [move] = table.view.legal_moves; // after some it is one's turn again
      table = await ask(`${path}/moves`, { move, ply: table.ply });
    }
    let answers = 0;
    const { ply } = table;
    await until(path, (now) => ++answers && now.ply > ply);
    most = Math.max(most, answers);
  }
  if (most < 3) wrong.push("no page while a master thinks"); // who has no choice moves at once
  const game = games.find((each) => each.seats.min === 2).name;
  const path = `tables/${await playBoth(ask, game)}`;
  await ask(`${path}/review`, {});
  const { review, problem } = await until(`${path}/review`, (now) => now.review || now.problem);
  if (!review) wrong.push(`no review: ${problem}`);
  return wrong;
};

const playBoth = async (ask, game, moved = () => {}) => {
  let table = await ask("tables", { game, seats: [{ kind: "me" }, { kind: "here" }] });
  while (table.status === "playing") {
    const [move] = table.view.legal_moves;
    table = await ask(`tables/${table.table}/moves`, { move, ply: table.ply });
    moved(table);
  }
  return table.table;
};

// Plays both seats of a table, and then the next, and reports each move that is confirmed.
globalThis.playOn = (base, token, game) => {
  const ask = asker(base, token);
  const on = () =>
    playBoth(ask, game, ({ table, ply }) => console.log(`confirmed ${table} ${ply}`)).then(on);
  on();
};

globalThis.plies = (base, token, tables) =>
  Promise.all(tables.map(async (table) => (await asker(base, token)(`tables/${table}`)).ply));

// Lets a worker's writes fail like those of a browser whose storage is full.
globalThis.fillUp = () => {
  const { prototype } = FileSystemSyncAccessHandle;
  const { write } = prototype;
  self.makeRoom = () => {
    prototype.write = write;
  };
  prototype.write = () => {
    throw new DOMException("no room", "QuotaExceededError");
  };
};

// Returns the database of the edition; or replaces it, and the memory by one that is broken.
globalThis.database = async (changed) => {
  const top = await navigator.storage.getDirectory();
  const folder = await top.getDirectoryHandle("redouble");
  const put = async (file, pieces) => {
    const open = (tries) =>
      file.createWritable().catch(async (error) => {
        if (!tries) throw error; // a closed tab's worker ends a moment later
        await new Promise((resolve) => setTimeout(resolve, 100));
        return open(tries - 1);
      });
    const stream = await open(100);
    for (const piece of pieces) await stream.write(piece);
    await stream.close();
  };
  for await (const handle of folder.values()) {
    const file = await handle.getFile();
    if (file.size < 4096) continue;
    const head = new Uint8Array(await file.slice(0, 4096).arrayBuffer());
    const length = new DataView(head.buffer).getUint16(8);
    const name = new TextDecoder().decode(head.subarray(10, 10 + length));
    if (name !== "/redouble.sqlite3") continue;
    if (!changed) return [...new Uint8Array(await file.slice(4096).arrayBuffer())];
    await put(handle, [head, new Uint8Array(changed.database)]);
    break;
  }
  const memory = await top.getFileHandle("redouble-memory", { create: true });
  await put(memory, [changed.version.padEnd(64), new Uint8Array(1000)]);
};
