import { chooseQuickReplies, chooseTexts } from "./choose_texts.ts";
import { openTimes } from "./office_hours.ts";
import { chatConfigSchema, voiceConfigSchema } from "./widget_config.ts";

/**
 * Returns the response of `GET /widget`, which the web view also passes to its iframe. `canStore`: whether the server has a
 * media store.
 */
export function describeChatWidget(
  { id, companyName, config, canStore }: {
    id: string;
    companyName: string;
    config: unknown;
    canStore: boolean;
  },
  { language, now }: { language: string | undefined; now: Date },
) {
  const { colors, position, features, quick_replies, office_hours, follow_up, consent, assistant, ...rest } =
    chatConfigSchema.parse(config);
  const chosen = chooseTexts("chat", rest, language);
  return {
    widget_id: id,
    kind: "chat" as const,
    company_name: companyName,
    ...chosen,
    colors,
    position,
    features: { ...features, files: features.files && canStore },
    quick_replies: chooseQuickReplies({ ...rest, quick_replies }, chosen.language),
    open_times: office_hours && openTimes(office_hours, now),
    ask_email_after_minutes: follow_up && follow_up.ask_after_minutes,
    consent,
    assistant,
  };
}

/** Returns the response of `GET /voice-widget`. `canHandOff`: whether the server has a realtime platform. */
export function describeVoiceWidget(
  { id, config, canHandOff }: { id: string; config: unknown; canHandOff: boolean },
  language: string | undefined,
) {
  const { agent_id, colors, position, animation, features, ...rest } = voiceConfigSchema.parse(config);
  return {
    id_widget: id,
    ...chooseTexts("voice", rest, language),
    agent_id,
    colors,
    position,
    animation,
    features: { ...features, handoff: features.handoff && canHandOff },
  };
}
