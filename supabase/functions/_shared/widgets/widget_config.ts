import { z } from "zod";
import { isPlainText, WITHOUT_CONTROLS } from "../values/control_characters.ts";
import type { WidgetKind } from "../db/widgets/widgets.ts";
import { textNames } from "./choose_texts.ts";

const color = z.string({ error: "a colour such as #1a2b3c" })
  .regex(/^#[0-9a-fA-F]{6}$/, "a colour such as #1a2b3c");

const pixels = (max: number) =>
  z.number({ error: `0 to ${max}` }).int("a whole number").min(0, `0 to ${max}`).max(max, `0 to ${max}`);

/** A language tag as browsers write them: `es`, `pt-BR`, `zh-Hant-TW`. */
export const languageTag = z.string({ error: "a language such as es or pt-BR" })
  .regex(/^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$/, "a language such as es or pt-BR");

/** The fields of both kinds of widgets, with their defaults. */
const look = {
  default_language: languageTag.default("en"),
  colors: z.strictObject({
    primary: color.default("#1f5eff"),
    secondary: color.default("#eef2ff"),
    background: color.default("#ffffff"),
    text: color.default("#1c1e21"),
    accent: color.default("#0b7a4b"),
  }).prefault({}),
  position: z.strictObject({
    placement: z.enum(["bottom-right", "bottom-left", "top-right", "top-left"], {
      error: "bottom-right, bottom-left, top-right or top-left",
    }).default("bottom-right"),
    offset_x: pixels(500).default(20),
    offset_y: pixels(500).default(20),
    size: pixels(200).min(24, "24 to 200").default(60),
  }).prefault({}),
};

const animation = z.strictObject({
  type: z.enum(["orb", "pulse", "none"], { error: "orb, pulse or none" }).default("orb"),
  speed: z.number({ error: "0.1 to 5" }).min(0.1, "0.1 to 5").max(5, "0.1 to 5").default(1),
  intensity: z.number({ error: "0 to 1" }).min(0, "0 to 1").max(1, "0 to 1").default(0.6),
}).prefault({});

const flag = z.boolean({ error: "true or false" }).default(true);

function textsOf(kind: WidgetKind) {
  const names = textNames(kind);
  const name = z.enum(names as [string, ...string[]], { error: `one of ${names.join(", ")}` });
  const text = z.string({ error: "text" }).max(1000, "at most 1000 characters")
    .refine(isPlainText, WITHOUT_CONTROLS);
  return z.record(languageTag, z.partialRecord(name, text)).default({});
}

/** The configuration of a chat widget. */
export const chatConfigSchema = z.strictObject({
  ...look,
  texts: textsOf("chat"),
  features: z.strictObject({ typing: flag }).prefault({}),
  assistant: z.strictObject({
    mode: z.enum(["off", "search"], { error: "off or search" }).default("off"),
  }).prefault({}),
});

/** The configuration of a voice widget. */
export const voiceConfigSchema = z.strictObject({
  ...look,
  texts: textsOf("voice"),
  animation,
  agent_id: z.string({ error: "the id of a voice agent" })
    .regex(/^[A-Za-z0-9_-]{1,100}$/, "the id of a voice agent"),
  connection: z.enum(["websocket", "webrtc"], { error: "websocket or webrtc" }).default("websocket"),
  features: z.strictObject({ transcript: flag, feedback: flag, handoff: flag, text_input: flag }).prefault(
    {},
  ),
});

export type ChatConfig = z.infer<typeof chatConfigSchema>;
export type VoiceConfig = z.infer<typeof voiceConfigSchema>;

/** The configuration of each kind of widget. */
export const CONFIG_SCHEMAS = { chat: chatConfigSchema, voice: voiceConfigSchema };
