import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { StoreServer } from '../../../src/embedded-store/store-server.js';
import { withTemporaryDirectory } from '../../kit/temporary-directory.js';

test.each(['0.0.0.0', '::', '192.0.2.1', 'store.example'])(
  'a store without users does not listen at %s, and touches nothing',
  async (host) => {
    await withTemporaryDirectory(async (path) => {
      const dataDirectory = join(path, 'data');
      const options = { dataDirectory, tcp: { host, port: 0 }, onLogFailure: () => undefined };
      await expect(StoreServer.start(options)).rejects.toMatchObject({
        name: 'InvalidRequest',
        message: expect.stringContaining(host) as unknown,
      });
      expect(existsSync(dataDirectory)).toBe(false);
    });
  },
);
