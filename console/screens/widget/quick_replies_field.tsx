import { Field } from "../../components/form/fields.tsx";
import { chatWidgetWords } from "../../i18n/chat_widget_words.ts";
import { useState } from "preact/hooks";
import type { QuickReply } from "./widget_config.ts";

/** The quick replies of one language, one per line: the text and, after a bar, the automatic reply. */
export function QuickRepliesField({ replies, error, onChange }: {
  replies: QuickReply[];
  error: string | undefined;
  onChange: (replies: QuickReply[]) => void;
}) {
  const { quickReplies, quickRepliesHelp } = chatWidgetWords();
  // As it is typed: a line that is begun is no reply yet.
  const [text, setText] = useState(textOf(replies));
  return (
    <Field
      label={quickReplies}
      help={quickRepliesHelp}
      error={error}
      rows={4}
      value={text}
      onChange={(typed) => {
        setText(typed);
        onChange(repliesOf(typed));
      }}
    />
  );
}

function textOf(replies: QuickReply[]): string {
  return replies.map(({ text, reply }) => reply ? `${text} | ${reply}` : text).join("\n");
}

function repliesOf(typed: string): QuickReply[] {
  return typed.split("\n").map((line) => {
    const [text = "", ...rest] = line.split("|");
    const reply = rest.join("|").trim();
    return { text: text.trim(), ...(reply !== "" && { reply }) };
  }).filter(({ text }) => text !== "");
}
