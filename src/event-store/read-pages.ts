import { checkRead } from './arguments.js';
import type { ReadOptions, RecordedEvent } from './event-store.js';
import type { PageRequest } from './session.js';

const pageSizeByDefault = 500;

type ReadPage = (request: PageRequest) => Promise<readonly RecordedEvent[]>;

/**
 * Pages of a stream, each fetched when it is asked for, so that no call is open between two pages.
 *
 * @throws InvalidArgument at once, and not when the first page is asked for
 */
export const readPages = (
  stream: string,
  options: ReadOptions,
  readPage: ReadPage,
): AsyncGenerator<readonly RecordedEvent[], void, void> => {
  checkRead(stream, options);
  return fetchPages(stream, { ...options }, readPage);
};

async function* fetchPages(
  stream: string,
  options: ReadOptions,
  readPage: ReadPage,
): AsyncGenerator<readonly RecordedEvent[], void, void> {
  const { direction = 'forwards', pageSize = pageSizeByDefault, requiresLeader = false } = options;
  const step = direction === 'forwards' ? 1 : -1;
  let from = options.from ?? (direction === 'forwards' ? 'start' : 'end');
  let leftCount = options.maxCount ?? Number.POSITIVE_INFINITY;
  while (leftCount > 0) {
    const maxCount = Math.min(pageSize, leftCount);
    const page = await readPage({ stream, direction, from, maxCount, requiresLeader });
    if (page.length > 0) yield page;
    const last = page.at(-1);
    // A page that is not full is the last one.
    if (last === undefined || page.length < maxCount) return;
    leftCount -= page.length;
    from = last.revision + step;
    if (from < 0) return;
  }
}
