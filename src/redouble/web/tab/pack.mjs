// Writes files compressed beside themselves, for hosts that serve such: node pack.mjs FILE...
import { readFile, writeFile } from "node:fs/promises";
import { promisify } from "node:util";
import zlib from "node:zlib";

const [brotli, gzip] = [promisify(zlib.brotliCompress), promisify(zlib.gzip)];
const { BROTLI_PARAM_LGWIN, BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT } = zlib.constants;

await Promise.all(
  process.argv.slice(2).map(async (path) => {
    const content = await readFile(path);
    const params = {
      [BROTLI_PARAM_QUALITY]: 11,
      [BROTLI_PARAM_LGWIN]: 24,
      [BROTLI_PARAM_SIZE_HINT]: content.length,
    };
    await writeFile(`${path}.br`, await brotli(content, { params }));
    await writeFile(`${path}.gz`, await gzip(content, { level: 9 }));
  }),
);
