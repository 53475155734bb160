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
  | "new_messages"
  | "earlier"
  | "attach"
  | "emoji"
  | "quick_replies"
  | "menu"
  | "transcript"
  | "file_gone"
  | "typing_named"
  | "seen"
  | "away"
  | "back_today"
  | "back_tomorrow"
  | "back_on"
  | "email_question"
  | "email_label"
  | "email_save"
  | "email_invalid"
  | "email_saved"
  | "rating_question"
  | "rating_comment"
  | "rating_thanks"
  | "rating_skip"
  | "stars"
  | "consent_accept"
  | "consent_link"
  | FileRefusal;

/** Why a file cannot be sent. */
export type FileRefusal = "file_too_large" | "file_type" | "file_refused" | "file_limit";

/** Makes the lookup; a missing text is empty. */
export function createTexts(texts: Record<string, string>): Texts {
  return (name) => texts[name] ?? "";
}
