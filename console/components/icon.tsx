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
  bell: "M4 11V7.5a4 4 0 0 1 8 0V11l1 1.5H3zM6.5 14h3",
  chat: "M2.5 3.5h11v7.5h-6L4.5 13.5V11h-2z",
  bubble: "M8 2.5a5.5 5.5 0 1 1-2.7 10.3L2.5 13.5l.8-2.6A5.5 5.5 0 0 1 8 2.5z",
  call:
    "M4 2.5l2 3-1.3 1.6a8 8 0 0 0 4.2 4.2L10.5 10l3 2c-.2 1.3-1 2-2.2 2C6.6 13.7 2.3 9.4 2 4.7c0-1.2.7-2 2-2.2z",
  send: "M2.5 8L13.5 3l-3.5 10.5-2.5-4.5z",
  info: "M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11zM8 7.5v3.5M8 5v.01",
  upload: "M8 11V3M4.5 6L8 2.5 11.5 6M3 13.5h10",
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
