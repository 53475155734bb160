import { messageOf, type PreviewMessage } from "../../data/template_message.ts";
import { partsOf, type TemplateDraft } from "./draft.ts";
import { pictureOf } from "./sample_field.tsx";

/** Returns the message of a draft, with its examples. */
export function previewOf(draft: TemplateDraft): PreviewMessage {
  const { examples, header, headerSample, sampleName } = draft;
  const values = Object.fromEntries(examples.map((value, index) => [`body_text_${index}`, value]));
  values[`header_${header.toLowerCase()}`] = sampleName || headerSample;
  const message = messageOf({ components: partsOf(draft), parameter_format: "POSITIONAL" }, values);
  const picture = pictureOf(headerSample);
  if (message.header?.kind === "media" && picture) {
    return { ...message, header: { ...message.header, picture } };
  }
  return message;
}
