/** Subjects that are remembered; those that changed longest ago are forgotten first. */
const MAX_SUBJECTS = 1000;

/**
 * Returns a function that says whether an event is news: not the last event of its subject once more, and not a second
 * `ready`. The first field of an event's data is the id of what changed.
 */
export function createRepetitionFilter(): (event: { type: string; data: object }) => boolean {
  const seen = new Map<string, string>();
  return ({ type, data }) => {
    if (type === "reset") return true;
    const subject = `${type} ${Object.values(data)[0]} ${"attempt" in data ? data.attempt : ""}`;
    const text = JSON.stringify(data);
    if (seen.get(subject) === text) return false;
    seen.delete(subject);
    seen.set(subject, text);
    if (seen.size > MAX_SUBJECTS) seen.delete(seen.keys().next().value!);
    return true;
  };
}
