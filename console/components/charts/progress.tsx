import { count } from "../../i18n/format.ts";

/** How much of a whole is done, in a row of a table. */
export function Progress({ label, done, bad = 0, whole }: {
  label: string;
  done: number;
  /** Of those done, the ones that failed. */
  bad?: number;
  whole: number;
}) {
  const share = (part: number) => whole === 0 ? 0 : (100 * part) / whole;
  return (
    <svg
      class="progress"
      viewBox="0 0 100 6"
      preserveAspectRatio="none"
      height="6"
      role="img"
      aria-label={`${label}: ${count(done)} / ${count(whole)}`}
    >
      <rect class="bar-track" width="100" height="6" />
      <rect class="bar-fill" width={share(done)} height="6" />
      <rect class="bar-bad" x={share(done - bad)} width={share(bad)} height="6" />
    </svg>
  );
}
