import { requirementOf, type Labels, type Requirement } from './requirement.js';

/** One object for all jobs that ask the same, so that 100,000 of them hold it once. Forgotten with the last that asks it. */
export class Requirements {
  private readonly uses = new Map<string, { readonly requirement: Requirement; count: number }>();

  take(kind: string, labels: Labels): Requirement {
    return this.takeAgain(requirementOf(kind, labels));
  }

  /** The same for a requirement that is at hand. */
  takeAgain(requirement: Requirement): Requirement {
    const use = this.uses.get(requirement.key);
    if (use) {
      use.count += 1;
      return use.requirement;
    }
    this.uses.set(requirement.key, { requirement, count: 1 });
    return requirement;
  }

  giveBack(requirement: Requirement): void {
    const use = this.uses.get(requirement.key);
    if (!use) return;
    use.count -= 1;
    if (use.count === 0) this.uses.delete(requirement.key);
  }
}
