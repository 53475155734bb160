import { z } from "zod";
import { timezoneSchema } from "../people/person.ts";
import { weekWindowsSchema } from "../scheduling/week_windows.ts";
import { isOneLine, isPlainText, WITHOUT_CONTROLS } from "../values/control_characters.ts";
import type { WidgetKind } from "../db/widgets/widgets.ts";
import { textNames } from "./choose_texts.ts";
import { messageTextSchema } from "./conversation_rules.ts";
import { LAUNCHER_ICONS, type LauncherIcon } from "./launcher_icons.ts";
import { quickReplySchema } from "./message_content.ts";

const color = z.string({ error: "a colour such as #1a2b3c" })
  .regex(/^#[0-9a-fA-F]{6}$/, "a colour such as #1a2b3c");

const pixels = (max: number) =>
  z.number({ error: `0 to ${max}` }).int("a whole number").min(0, `0 to ${max}`).max(max, `0 to ${max}`);

/** A language tag as browsers write them: `es`, `pt-BR`, `zh-Hant-TW`. */
export const languageTag = z.string({ error: "a language such as es or pt-BR" })
  .regex(/^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$/, "a language such as es or pt-BR");

/** Lines of an SVG path: drawing commands and numbers, nothing that could load or run anything. */
const iconPath = z.string({ error: "an SVG path" }).max(2000, "at most 2000 characters")
  .regex(/^[Mm][MmLlHhVvCcSsQqTtAaZz0-9eE ,.+-]*$/, "an SVG path, in a box of 24 by 24");

const ICON_NAMES = Object.keys(LAUNCHER_ICONS) as LauncherIcon[];

const launcher = z.strictObject({
  icon: z.enum(ICON_NAMES, { error: `one of ${ICON_NAMES.join(", ")}` }).default("default"),
  path: iconPath.optional(),
}).prefault({});

/** A picture as part of the configuration, so that visitors' browsers request none from anywhere else. */
const logo = z.string({ error: "a data: URL" }).max(16_000, "at most 16,000 characters, about 11 KB")
  .regex(
    /^data:image\/(png|jpeg|webp);base64,[A-Za-z0-9+/]+={0,2}$/,
    "data:image/png;base64,…, or a JPEG or WebP picture",
  );

const PATH = "a path such as /pricing or /shop/*, with at most five *";

const MAX_PROACTIVE = 10;

const proactiveMessage = z.strictObject({
  texts: z.record(
    languageTag,
    z.string({ error: "text" }).trim().min(1, "a text").max(300, "at most 300 characters")
      .refine(isOneLine, WITHOUT_CONTROLS),
  ).refine((texts) => Object.keys(texts).length > 0, "a text in at least one language"),
  path: z.string({ error: PATH }).max(200, "at most 200 characters").regex(/^\/[^\s?#]*$/, PATH)
    .refine((path) => path.split("*").length <= 6, PATH).default("/*"),
  delay_s: z.number({ error: "0 to 3600" }).int("a whole number").min(0, "0 to 3600").max(3600, "0 to 3600")
    .default(10),
});

/** The fields of both kinds of widgets, with their defaults. */
const look = {
  default_language: languageTag.default("en"),
  appearance: z.enum(["light", "dark", "auto"], { error: "light, dark or auto" }).default("light"),
  dark_colors: z.strictObject({
    primary: color.optional(),
    secondary: color.optional(),
    background: color.optional(),
    text: color.optional(),
    accent: color.optional(),
  }).prefault({}),
  launcher,
  logo: logo.optional(),
  proactive: z.array(proactiveMessage, { error: "a list" }).max(MAX_PROACTIVE, `at most ${MAX_PROACTIVE}`)
    .default([]),
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

/** Returns the colour and the corner of a widget's button. */
export function buttonOf(config: unknown): { color: string; placement: string } {
  const { colors, position } = z.object({ colors: look.colors, position: look.position }).parse(config);
  return { color: colors.primary, placement: position.placement };
}

const animation = z.strictObject({
  type: z.enum(["orb", "pulse", "none"], { error: "orb, pulse or none" }).default("orb"),
  speed: z.number({ error: "0.1 to 5" }).min(0.1, "0.1 to 5").max(5, "0.1 to 5").default(1),
  intensity: z.number({ error: "0 to 1" }).min(0, "0 to 1").max(1, "0 to 1").default(0.6),
}).prefault({});

const flag = z.boolean({ error: "true or false" }).default(true);
const offFlag = z.boolean({ error: "true or false" }).default(false);

function textsOf(kind: WidgetKind) {
  const names = textNames(kind);
  const name = z.enum(names as [string, ...string[]], { error: `one of ${names.join(", ")}` });
  const text = z.string({ error: "text" }).max(1000, "at most 1000 characters")
    .refine(isPlainText, WITHOUT_CONTROLS);
  return z.record(languageTag, z.partialRecord(name, text)).default({});
}

const quickReply = z.strictObject({
  text: quickReplySchema,
  // The chat writes it by itself once a visitor has chosen it.
  reply: messageTextSchema.optional(),
});

const minutes = (max: number) => {
  const format = `1 to ${max} minutes`;
  return z.int({ error: format }).min(1, format).max(max, format);
};

const MAX_HOLIDAYS = 200;

/** When members reply. */
const officeHours = z.strictObject({
  timezone: timezoneSchema,
  /** By weekday, as in the rules about when to send. */
  days: weekWindowsSchema,
  holidays: z.array(z.iso.date({ error: "dates such as 2026-12-25" })).max(
    MAX_HOLIDAYS,
    `at most ${MAX_HOLIDAYS} dates`,
  ).default([]),
});

/** Replies by e-mail: when visitors are asked for an address, and when an unread reply is reported. */
const followUp = z.strictObject({
  ask_after_minutes: minutes(1440).default(5),
  // The database has this default too: outbound.follow_up_due.
  send_after_minutes: minutes(10_080).default(10),
});

const consentText = "text of 1 to 1000 characters";

/** The text that visitors must accept before their first message. */
export const consentSchema = z.strictObject({
  text: z.string({ error: consentText }).trim().min(1, consentText).max(1000, consentText)
    .refine(isPlainText, WITHOUT_CONTROLS),
  link: z.url({ protocol: /^https$/, error: "an https address" }).max(2000, "an https address").nullable()
    .default(null),
});

const AGENT_ID = "the id of a voice agent";

const agentId = z.string({ error: AGENT_ID }).regex(/^[A-Za-z0-9_-]{1,100}$/, AGENT_ID);

/** The configuration of a chat widget. */
export const chatConfigSchema = z.strictObject({
  ...look,
  texts: textsOf("chat"),
  features: z.strictObject({
    ...{ typing: flag, names: flag, files: flag, emoji: flag, rating: flag },
    ...{ sound: offFlag, title_blink: offFlag },
  }).prefault({}),
  // With the welcome, by language.
  quick_replies: z.record(languageTag, z.array(quickReply).max(10, "at most 10")).default({}),
  office_hours: officeHours.nullable().default(null),
  follow_up: followUp.nullable().default(null),
  consent: consentSchema.nullable().default(null),
  assistant: z.strictObject({
    mode: z.enum(["off", "search", "agent"], { error: "off, search or agent" }).default("off"),
    agent_id: agentId.optional(),
  }).prefault({}).refine(({ mode, agent_id }) => mode !== "agent" || agent_id !== undefined, {
    path: ["agent_id"],
    error: AGENT_ID,
  }),
});

/** The configuration of a voice widget. */
export const voiceConfigSchema = z.strictObject({
  ...look,
  texts: textsOf("voice"),
  animation,
  agent_id: agentId,
  connection: z.enum(["websocket", "webrtc"], { error: "websocket or webrtc" }).default("websocket"),
  features: z.strictObject({ transcript: flag, feedback: flag, handoff: flag, text_input: flag }).prefault(
    {},
  ),
});

export type ChatConfig = z.infer<typeof chatConfigSchema>;
export type VoiceConfig = z.infer<typeof voiceConfigSchema>;

/** The configuration of each kind of widget. */
export const CONFIG_SCHEMAS = { chat: chatConfigSchema, voice: voiceConfigSchema };
