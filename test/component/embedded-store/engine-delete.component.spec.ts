import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { DataDirectory } from '../../../src/embedded-store/data-directory.js';
import { Engine } from '../../../src/embedded-store/engine.js';
import { emptyBytes, type ExpectedRevision } from '../../../src/embedded-store/stored-event.js';

describe('a delete of a stream without events', () => {
  const path = mkdtempSync(join(tmpdir(), 'longshore-delete-'));
  const directory = DataDirectory.acquire(path);
  let engine: Engine;

  beforeAll(() => {
    const onLogFailure = (error: Error) => {
      throw error;
    };
    engine = new Engine(directory.openLog(), { now: () => 0, onLogFailure });
  });
  afterAll(async () => {
    await engine.close();
    directory.release();
    rmSync(path, { recursive: true });
  });

  test.each<ExpectedRevision>(['any', 'no-stream', 'stream-exists', 0])(
    'is a conflict when it expects %s',
    async (expectedRevision) => {
      const outcome = await engine.delete({ stream: 'nowhere', expectedRevision });
      expect(outcome).toEqual({ kind: 'conflict', actualRevision: undefined });
      expect(engine.lastRevisionOf('$$nowhere')).toBeUndefined();
    },
  );

  test.each<ExpectedRevision>(['any', 'no-stream', 'stream-exists'])(
    'is done when it expects %s and there is metadata',
    async (expectedRevision) => {
      const stream = `with-metadata-${expectedRevision}`;
      const data = Buffer.from('{"$maxCount":1}');
      const settings = {
        id: crypto.randomUUID(),
        type: '$metadata',
        isJson: true,
        data,
        metadata: emptyBytes,
      };
      await engine.append({ stream: `$$${stream}`, expectedRevision: 'any', events: [settings] });
      expect(await engine.delete({ stream, expectedRevision })).toMatchObject({ kind: 'appended' });
    },
  );
});
