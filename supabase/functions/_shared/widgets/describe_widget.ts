import type { Services } from "../services.ts";
import { chooseQuickReplies, chooseTexts } from "./choose_texts.ts";
import { LAUNCHER_ICONS } from "./launcher_icons.ts";
import { openTimes } from "./office_hours.ts";
import { chooseOwnText } from "./own_text.ts";
import { type ChatConfig, chatConfigSchema, type VoiceConfig, voiceConfigSchema } from "./widget_config.ts";

/** The texts of the button. A page has them before its visitor opens the widget. */
const BUTTON_TEXTS = [
  "title",
  "unavailable",
  "retry",
  "open_label",
  "close_label",
  "new_messages",
  "launcher_text",
];

/** Returns the response of `GET /widget`, which the web view also passes to its iframe. */
export function describeChatWidget(
  { now, mediaStore }: Pick<Services, "now" | "mediaStore">,
  { id, companyName, config }: { id: string; companyName: string; config: unknown },
  language: string | undefined,
) {
  const parsed = chatConfigSchema.parse(config);
  const { features, office_hours, follow_up, consent, assistant } = parsed;
  const chosen = chooseTexts("chat", parsed, language);
  return {
    widget_id: id,
    kind: "chat" as const,
    company_name: companyName,
    ...chosen,
    ...describeLook(parsed, chosen.language),
    features: { ...features, files: features.files && mediaStore !== null },
    quick_replies: chooseQuickReplies(parsed, chosen.language),
    open_times: office_hours && openTimes(office_hours, now()),
    ask_email_after_minutes: follow_up && follow_up.ask_after_minutes,
    consent,
    assistant: { mode: assistant.mode },
  };
}

/** Returns the response of `GET /voice-widget`. `canHandOff`: whether the server has a realtime platform. */
export function describeVoiceWidget(
  { id, config, canHandOff }: { id: string; config: unknown; canHandOff: boolean },
  language: string | undefined,
) {
  const parsed = voiceConfigSchema.parse(config);
  const { agent_id, animation, features } = parsed;
  const chosen = chooseTexts("voice", parsed, language);
  return {
    id_widget: id,
    ...chosen,
    agent_id,
    ...describeLook(parsed, chosen.language),
    animation,
    features: { ...features, handoff: features.handoff && canHandOff },
  };
}

/** Returns what the page needs to show the button: without the logo, and with the texts of the button only. */
export function describeButton<Described extends { texts: Record<string, string>; logo: string | null }>(
  { logo: _, ...described }: Described,
) {
  const texts = Object.entries(described.texts).filter(([name]) => BUTTON_TEXTS.includes(name));
  return { ...described, logo: null, texts: Object.fromEntries(texts) };
}

/** The look of both kinds, with the texts of proactive messages in the language of the visitor. */
function describeLook(config: ChatConfig | VoiceConfig, language: string) {
  const { appearance, colors, dark_colors, position, launcher, logo, proactive } = config;
  return {
    appearance,
    colors,
    dark_colors,
    position,
    launcher: { paths: launcher.path === undefined ? [...LAUNCHER_ICONS[launcher.icon]] : [launcher.path] },
    logo: logo ?? null,
    proactive: proactive.flatMap(({ texts, path, delay_s }) => {
      const text = chooseOwnText(texts, [language, config.default_language]);
      return text === undefined ? [] : [{ text, path, delay_s }];
    }),
  };
}
