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
  smile: "M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11zM6 6.5v.01M10 6.5v.01M5.5 9.5c1.2 1.7 3.8 1.7 5 0",
  info: "M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11zM8 7.5v3.5M8 5v.01",
  upload: "M8 11V3M4.5 6L8 2.5 11.5 6M3 13.5h10",
  home: "M2.5 7.5L8 3l5.5 4.5V13h-4V9.5h-3V13h-4z",
  campaign: "M2.5 6.5v3h2l5 3v-9l-5 3zM12 6.2a2.6 2.6 0 0 1 0 3.6",
  page: "M4 2.5h5.5l3 3v8H4zM6.5 8h4M6.5 10.5h4",
  phone: "M5 2h6v12H5zM7.5 11.5h1",
  inbox: "M2.5 9.5L4.5 3h7l2 6.5V13h-11zM2.5 9.5H6a2 2 0 0 0 4 0h3.5",
  people:
    "M6 3.5a2 2 0 1 0 0 4 2 2 0 0 0 0-4zM2 13c0-2.5 1.8-3.8 4-3.8s4 1.3 4 3.8M10.5 4a2 2 0 0 1 0 3.6M11.8 9.6c1.4.5 2.2 1.7 2.2 3.4",
  link: "M6.5 9.5l3-3M5 7.5L3.6 8.9a2.3 2.3 0 0 0 3.3 3.3L8.5 11M11 8.5l1.4-1.4a2.3 2.3 0 0 0-3.3-3.3L7.5 5",
  key: "M5 6a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5zM7.5 8.5H14M12 8.5V11",
  book: "M8 4C6.8 3.2 5 3 3 3v9.5c2 0 3.8.2 5 1 1.2-.8 3-1 5-1V3c-2 0-3.8.2-5 1zM8 4v9.5",
  sliders: "M3 4.5h6M12 4.5h1M3 8h1M7 8h6M3 11.5h5M11 11.5h2M10.5 3v3M5.5 6.5v3M9.5 10v3",
  clock: "M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11zM8 5v3l2 1.5",
  list: "M6 4h7.5M6 8h7.5M6 12h7.5M3 4v.01M3 8v.01M3 12v.01",
  check: "M3.5 8.5l3 3 6-7",
  clip: "M12.5 7l-5 5a3 3 0 0 1-4.2-4.2l5.5-5.5a2 2 0 0 1 2.8 2.8l-5.3 5.3a1 1 0 0 1-1.4-1.4L9.5 4.5",
  file: "M4 2h5l3 3v9H4zM9 2v3h3",
  note: "M3 3h10v7l-3 3H3zM13 10h-3v3M5.5 6h5M5.5 8.5h3",
  reply: "M6.5 4L3 7.5 6.5 11M3 7.5h6a4 4 0 0 1 4 4V12",
  bolt: "M9 2L4 9h4l-1 5 5-7H8z",
} as const;

export type IconName = keyof typeof PATHS;

/** Signs that point along the line: they turn where it is read from the right. */
const TURNS: ReadonlySet<IconName> = new Set(["left", "right", "reply", "send"]);

/** A sign beside a word, or in a button with a label; it says nothing to screen readers. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg
      class={`icon${TURNS.has(name) ? " turns" : ""}`}
      viewBox="0 0 16 16"
      width="16"
      height="16"
      aria-hidden="true"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
