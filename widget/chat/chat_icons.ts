/** Paths of the chat's own icons, for `drawIcon`. Those of the loader stand apart, because every page loads it. */
export const CHAT_ICONS = {
  file: ["M6 3.5h8l4 4v13H6z", "M14 3.5v4h4"],
  clip: [
    "M19 11.5 12 18.5a4.5 4.5 0 0 1-6.4-6.4l7.4-7.4a3 3 0 0 1 4.3 4.3l-7.3 7.3a1.5 1.5 0 0 1-2.2-2.1l6.6-6.6",
  ],
  smile: [
    "M12 3.5a8.5 8.5 0 1 0 0 17a8.5 8.5 0 1 0 0-17z",
    "M8.5 14c1.6 2.6 5.4 2.6 7 0",
    "M9 9.5v.01",
    "M15 9.5v.01",
  ],
  more: ["M12 5.5v.01", "M12 12v.01", "M12 18.5v.01"],
} as const;
