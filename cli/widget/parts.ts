/** A file made by `deno bundle` from sources under widget/. */
export interface BundledPart {
  /** Its name in the manifest. */
  name: string;
  /** Under widget/. */
  entry: string;
  /** `iife` for a script that any page may load, `esm` for a module of ours. */
  format: "iife" | "esm";
}

/** A file of an npm package, served as it is. */
export interface CopiedPart {
  name: string;
  /** As import_map.json names it. */
  package: string;
  /** In the package. */
  path: string;
}

/** What together may not weigh more than so many bytes, each file compressed by gzip. */
export interface WeightLimit {
  parts: string[];
  most: number;
}

export const BUNDLED: BundledPart[] = [
  { name: "loader", entry: "loader/main.ts", format: "iife" },
  { name: "chat", entry: "chat/main.ts", format: "esm" },
  { name: "chat_css", entry: "chat/style.css", format: "esm" },
];

export const COPIED: CopiedPart[] = [];

/** Pages under widget/, by the name they are served under; `{{part}}` stands for the attributes that load a part. */
export const PAGES: Record<string, string> = {
  "chat.html": "chat/chat.html",
};

const KIB = 1024;

export const LIMITS: WeightLimit[] = [
  { parts: ["loader"], most: 10 * KIB },
  { parts: ["chat", "chat_css", "chat.html"], most: 60 * KIB },
];
