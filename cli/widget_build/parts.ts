import type { CopiedPart } from "../browser_build/packages.ts";
import type { WeightLimit } from "../browser_build/manifest.ts";

/** A file made by `deno bundle` from sources under widget/. */
export interface BundledPart {
  /** Its name in the manifest. */
  name: string;
  /** Under widget/. */
  entry: string;
  /** `iife` for a script that any page may load, `esm` for a module of ours. */
  format: "iife" | "esm";
  /** It stands in the page or the script that loads it, which so takes one request. A page's policy has its hash. */
  isInline?: boolean;
}

export const BUNDLED: BundledPart[] = [
  { name: "loader_css", entry: "loader/style.css", format: "esm", isInline: true },
  { name: "loader", entry: "loader/main.ts", format: "iife" },
  { name: "theme", entry: "theme/main.ts", format: "esm", isInline: true },
  { name: "chat", entry: "chat/main.ts", format: "esm" },
  { name: "chat_css", entry: "chat/style.css", format: "esm" },
  { name: "voice", entry: "voice/main.ts", format: "esm" },
  { name: "voice_css", entry: "voice/style.css", format: "esm" },
];

export const COPIED: CopiedPart[] = [
  { name: "elevenlabs_client", package: "@elevenlabs/client", path: "dist/lib.iife.js" },
  {
    name: "elevenlabs_raw_audio_worklet",
    package: "@elevenlabs/client",
    path: "worklets/rawAudioProcessor.js",
  },
  {
    name: "elevenlabs_concat_worklet",
    package: "@elevenlabs/client",
    path: "worklets/audioConcatProcessor.js",
  },
  // For browsers that record at their own rate only; the client would fetch it from a third party's server.
  {
    name: "libsamplerate_worklet",
    package: "@alexanderolsen/libsamplerate-js",
    path: "dist/libsamplerate.worklet.js",
  },
  { name: "livekit_client", package: "livekit-client", path: "dist/livekit-client.umd.js" },
];

/** Pages under widget/, by the name they are served under; `{{part}}` stands for the attributes that load a part, or for an inline one. */
export const PAGES: Record<string, string> = {
  "theme.html": "theme/theme.html",
  "chat.html": "chat/chat.html",
  "voice.html": "voice/voice.html",
};

const KIB = 1024;

export const LIMITS: WeightLimit[] = [
  { parts: ["loader"], maxBytes: 10 * KIB },
  { parts: ["theme.html"], maxBytes: 2.25 * KIB },
  { parts: ["chat", "chat_css", "chat.html"], maxBytes: 60 * KIB },
  { parts: ["voice", "voice_css", "voice.html"], maxBytes: 60 * KIB },
];
