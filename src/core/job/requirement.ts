/** Labels of a node, or those that a job asks for: name to value. */
export type Labels = Readonly<Record<string, string>>;

/**
 * What a job asks of a node besides room. Jobs that ask the same share one object, by which they are pooled: see
 * `Requirements`.
 */
export interface Requirement {
  readonly kind: string;
  readonly labels: Labels;
  /** Equal exactly for equal requirements. */
  readonly key: string;
}

/** What a node offers besides room. */
export interface Offer {
  readonly kinds: readonly string[];
  readonly labels: Labels;
}

/** Runs the kind, and carries every label that is asked for. */
export const meets = (offer: Offer, requirement: Requirement): boolean =>
  offer.kinds.includes(requirement.kind) &&
  Object.entries(requirement.labels).every(([name, value]) => offer.labels[name] === value);

const sortedEntries = (labels: Labels): [string, string][] =>
  Object.entries(labels).sort(([one], [other]) => (one < other ? -1 : 1));

/** Keys cannot be confused with each other, whatever characters labels are made of. */
export const requirementOf = (kind: string, labels: Labels): Requirement => ({
  kind,
  labels,
  key: JSON.stringify([kind, sortedEntries(labels)]),
});
