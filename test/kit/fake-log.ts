import type { FakeEvent } from './fake-store-messages.js';

export type NewFakeEvent = Pick<FakeEvent, 'id' | 'type' | 'contentType' | 'data' | 'metadata'>;

export type FakeOutcome =
  | { readonly written: readonly FakeEvent[]; readonly revision: number; readonly position: number }
  | { readonly actual: number };

const writtenUpTo = (last: FakeEvent | undefined, written: readonly FakeEvent[]): FakeOutcome => ({
  written,
  revision: last?.revision ?? -1,
  position: last?.position ?? -1,
});

/** The events of the fake store, with the store's own rule for repeated appends. */
export class FakeLog {
  readonly all: FakeEvent[] = [];
  private readonly streams = new Map<string, FakeEvent[]>();

  stream(name: string): readonly FakeEvent[] {
    return this.streams.get(name) ?? [];
  }

  /**
   * @param expected the last revision, -1 for no stream
   * @returns the last revision of the append, or what stands instead
   */
  append(stream: string, expected: number | 'any', events: readonly NewFakeEvent[]): FakeOutcome {
    const present = this.streams.get(stream) ?? [];
    if (expected !== 'any' && expected !== present.length - 1) {
      const standing = present.slice(expected + 1, expected + 1 + events.length);
      const isRepetition =
        standing.length === events.length && standing.every((event, at) => event.id === events[at]?.id);
      return isRepetition ? writtenUpTo(standing.at(-1), []) : { actual: present.length - 1 };
    }
    const written = events.map((event, at) => ({
      ...event,
      stream,
      revision: present.length + at,
      position: (this.all.length + at + 1) * 10,
      createdAt: 1_700_000_000_000 + this.all.length + at,
    }));
    this.all.push(...written);
    this.streams.set(stream, [...present, ...written]);
    return writtenUpTo(written.at(-1), written);
  }
}

/** A plain JSON event. */
export const fakeEvent = (id: string, data: unknown = {}): NewFakeEvent => ({
  id,
  type: 'job-placed.v1',
  contentType: 'application/json',
  data: Buffer.from(JSON.stringify(data)),
  metadata: new Uint8Array(),
});
