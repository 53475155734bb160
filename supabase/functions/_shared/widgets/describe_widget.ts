import { chooseTexts } from "./choose_texts.ts";
import { chatConfigSchema, voiceConfigSchema } from "./widget_config.ts";

/** Returns the response of `GET /widget`, which the web view also passes to its iframe. */
export function describeChatWidget(
  { id, companyName, config }: { id: string; companyName: string; config: unknown },
  language: string | undefined,
) {
  const { colors, position, features, assistant, ...rest } = chatConfigSchema.parse(config);
  return {
    widget_id: id,
    kind: "chat" as const,
    company_name: companyName,
    ...chooseTexts("chat", rest, language),
    colors,
    position,
    features,
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
