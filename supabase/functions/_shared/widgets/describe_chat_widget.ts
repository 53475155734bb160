import { chooseTexts } from "./choose_texts.ts";
import { chatConfigSchema } from "./widget_config.ts";

/** What `GET /widget` answers, and what the web view hands to its iframe. */
export function describeChatWidget(
  { id, companyName, config }: { id: string; companyName: string; config: unknown },
  language: string | undefined,
) {
  const { colors, position, features, ...rest } = chatConfigSchema.parse(config);
  return {
    widget_id: id,
    kind: "chat" as const,
    company_name: companyName,
    ...chooseTexts("chat", rest, language),
    colors,
    position,
    features,
  };
}
