import { toneOf } from "./names.ts";

/** Labels side by side, each in its colour. */
export function LabelChips({ labels }: { labels: string[] }) {
  return <>{labels.map((label) => <span key={label} class={`label tone-${toneOf(label)}`}>{label}</span>)}</>;
}
