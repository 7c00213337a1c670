import type { ReadOptions, RecordedEvent } from './event-store.js';
import type { PageRequest } from './session.js';

const pageSizeByDefault = 500;

/** Pages of a stream, each fetched when it is asked for, so that no call is open between two pages. */
export async function* readPages(
  stream: string,
  options: ReadOptions,
  readPage: (request: PageRequest) => Promise<readonly RecordedEvent[]>,
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
