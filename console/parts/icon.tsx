/** 16 × 16, drawn with the text's colour. */
const PATHS = {
  menu: "M2 4h12M2 8h12M2 12h12",
  close: "M4 4l8 8M12 4l-8 8",
  search: "M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM10.5 10.5L14 14",
  pause: "M5.5 3.5v9M10.5 3.5v9",
  play: "M5 3l8 5-8 5z",
  stop: "M4 4h8v8H4z",
  again: "M13 8a5 5 0 1 1-1.6-3.7M13 2v3h-3",
  download: "M8 2v8M4.5 7L8 10.5 11.5 7M3 13.5h10",
  copy: "M6 6h7v7H6zM3 10V3h7",
  warning: "M8 2.5l6 11H2zM8 7v3M8 12v.01",
  left: "M10 3L5 8l5 5",
  right: "M6 3l5 5-5 5",
  up: "M4 10l4-4 4 4",
  down: "M4 6l4 4 4-4",
  user: "M8 3a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5zM3 14c0-3 2.2-4.5 5-4.5s5 1.5 5 4.5",
  plus: "M8 3v10M3 8h10",
} as const;

export type IconName = keyof typeof PATHS;

/** A sign beside a word, or in a button with a label; it says nothing to screen readers. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
