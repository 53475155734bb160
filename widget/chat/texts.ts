/** Returns the text with a name. The API sends all texts in the visitor's language. */
export type Texts = (name: TextName) => string;

export type TextName =
  | "welcome"
  | "title"
  | "subtitle"
  | "placeholder"
  | "send"
  | "sending"
  | "not_sent"
  | "typing"
  | "you"
  | "operator"
  | "messages_label"
  | "connecting"
  | "reconnecting"
  | "offline"
  | "unavailable"
  | "too_many"
  | "limit_reached"
  | "closed"
  | "new_conversation"
  | "talk_to_person"
  | "sources"
  | "close_label"
  | "new_messages";

/** Makes the lookup; a missing text is empty. */
export function createTexts(texts: Record<string, string>): Texts {
  return (name) => texts[name] ?? "";
}
