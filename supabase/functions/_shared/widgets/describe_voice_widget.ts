import { chooseTexts } from "./choose_texts.ts";
import { voiceConfigSchema } from "./widget_config.ts";

/** What `GET /voice-widget` answers. A handoff is offered only where there is a platform for it. */
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
