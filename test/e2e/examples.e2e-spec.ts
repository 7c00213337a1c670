import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from '@jest/globals';
import { StoreProcess } from '../kit/store-process.js';
import { withTemporaryDirectory } from '../kit/temporary-directory.js';

const run = promisify(execFile);
const example = (path: string) => fileURLToPath(new URL(`../../examples/${path}`, import.meta.url));

describe('examples', () => {
  afterEach(async () => {
    await StoreProcess.endAll();
  });

  it('appends, meets a conflict, follows the stream live, and ends', async () => {
    await withTemporaryDirectory(async (directory) => {
      const store = await StoreProcess.start(directory);
      const url = `esdb://127.0.0.1:${store.port}?tls=false`;
      const { stdout } = await run(process.execPath, [example('store/append-and-follow.mjs'), url]);
      expect(stdout).toContain('is refused: the stream is at revision 1');
      expect(stdout).toContain('2 ship-arrived.v1 {"at":"Halifax"}');
      await StoreProcess.endAll();
    });
  });
});
