interface Place {
  readonly stream: number;
  readonly revision: number;
}

/** The newest ids of the log and where they stand: at least `count` of them, at most twice as many. */
export class RecentIds {
  /** Two generations, so that forgetting costs nothing: when the newer one is full, the older one goes. */
  private newer = new Map<string, Place>();
  private older = new Map<string, Place>();

  constructor(private readonly count: number) {}

  add(id: string, stream: number, revision: number): void {
    this.newer.set(id, { stream, revision });
    if (this.newer.size < this.count) return;
    this.older = this.newer;
    this.newer = new Map();
  }

  /** For events whose transaction was rolled back. */
  remove(id: string): void {
    this.newer.delete(id);
    this.older.delete(id);
  }

  revisionOf(id: string, stream: number): number | undefined {
    const place = this.newer.get(id) ?? this.older.get(id);
    return place?.stream === stream ? place.revision : undefined;
  }
}
