/**
 * The icons of a widget's button by name, as SVG paths in a box of 24 by 24, drawn as lines in the colour of the text. The
 * loader receives the paths of the chosen one only. `default` is the loader's own for the kind of widget.
 */
export const LAUNCHER_ICONS = {
  default: [],
  bubbles: ["M3.5 4h11.5v8.5H8.5L5.5 15v-2.5h-2z", "M18 8.5h2.5V17h-2v2.5l-3-2.5H10v-1.5"],
  dots: ["M4 5.5h16v11H11l-4.5 4v-4H4z", "M8.2 11h.1", "M12 11h.1", "M15.8 11h.1"],
  question: [
    "M12 3.5a8.5 8.5 0 1 1 0 17 8.5 8.5 0 0 1 0-17z",
    "M9.6 9.8a2.4 2.4 0 1 1 3.6 2.1c-.8.5-1.2 1-1.2 1.9",
    "M12 16.8h.1",
  ],
  headset: [
    "M4.5 14v-2a7.5 7.5 0 0 1 15 0v2",
    "M4.5 13.5h3v5h-3z",
    "M16.5 13.5h3v5h-3z",
    "M19.5 18.5c0 1.6-1.9 2.5-4.5 2.5",
  ],
  mail: ["M3.5 5.5h17v13h-17z", "M3.5 6.5 12 13l8.5-6.5"],
  phone: [
    "M6.5 3.5h3l1.5 4-2 1.5a12 12 0 0 0 6 6l1.5-2 4 1.5v3a2 2 0 0 1-2.2 2A16 16 0 0 1 4.5 5.7a2 2 0 0 1 2-2.2z",
  ],
  sparkles: [
    "M10 4.5l1.7 4.8 4.8 1.7-4.8 1.7L10 17.5l-1.7-4.8L3.5 11l4.8-1.7z",
    "M18 3.5v4",
    "M16 5.5h4",
    "M18 16.5v4",
    "M16 18.5h4",
  ],
} as const satisfies Record<string, readonly string[]>;

/** The name of an icon. */
export type LauncherIcon = keyof typeof LAUNCHER_ICONS;
