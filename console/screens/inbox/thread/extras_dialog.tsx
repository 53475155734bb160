import { useState } from "preact/hooks";
import { Button } from "../../../components/button.tsx";
import { Dialog } from "../../../components/dialog/dialog.tsx";
import { Field } from "../../../components/form/fields.tsx";
import { chatExtraWords } from "../../../i18n/chat_extra_words.ts";
import { words } from "../../../i18n/words.ts";
import type { ChatExtras } from "./chat_extras.tsx";

const MAX_BUTTONS = 3;

interface ButtonDraft {
  label: string;
  url: string;
}

export interface ExtrasDialogProps {
  /** The text that the field holds already. */
  text: string;
  /** Sends it, with the text that is written in the dialog. */
  onSend: (text: string, extras: ChatExtras) => void;
  onClose: () => void;
}

/** A message with quick replies or a card, for the visitor of a chat. */
export function ExtrasDialog({ text: written, onSend, onClose }: ExtrasDialogProps) {
  const names = chatExtraWords();
  const [text, setText] = useState(written);
  const [replies, setReplies] = useState("");
  const [title, setTitle] = useState("");
  const [about, setAbout] = useState("");
  const [image, setImage] = useState("");
  const [buttons, setButtons] = useState<ButtonDraft[]>(
    Array.from({ length: MAX_BUTTONS }, () => ({ label: "", url: "" })),
  );
  const [isTried, setTried] = useState(false);
  const isEmpty = text.trim() === "" && title.trim() === "";

  function send(): void {
    setTried(true);
    if (isEmpty) return;
    const quick_replies = linesOf(replies);
    onSend(text.trim(), {
      ...(quick_replies.length > 0 && { quick_replies }),
      ...(title.trim() !== "" && { card: cardOf({ title, about, image, buttons }) }),
    });
    onClose();
  }

  const change = (at: number, changes: Partial<ButtonDraft>) =>
    setButtons(buttons.map((each, index) => index === at ? { ...each, ...changes } : each));

  return (
    <Dialog
      title={names.title}
      onClose={onClose}
      staysOpen
      actions={
        <>
          <Button onPress={onClose}>{words().common.cancel}</Button>
          <Button kind="main" icon="send" onPress={send}>{names.send}</Button>
        </>
      }
    >
      <div class="form">
        <Field
          label={names.text}
          value={text}
          rows={2}
          help={names.textHelp}
          error={isTried && isEmpty ? names.missing : undefined}
          onChange={setText}
        />
        <Field
          label={names.quickReplies}
          value={replies}
          rows={3}
          help={names.quickRepliesHelp}
          onChange={setReplies}
        />
        <fieldset class="form">
          <legend>{names.card}</legend>
          <Field label={names.cardTitle} value={title} onChange={setTitle} />
          <Field label={names.cardText} value={about} rows={2} onChange={setAbout} />
          <Field label={names.image} type="url" value={image} onChange={setImage} />
          {buttons.map(({ label, url }, at) => (
            <div key={at} class="field-row">
              <Field
                label={names.buttonLabel(at + 1)}
                value={label}
                onChange={(to) => change(at, { label: to })}
              />
              <Field
                label={names.buttonLink(at + 1)}
                type="url"
                value={url}
                onChange={(to) => change(at, { url: to })}
              />
            </div>
          ))}
        </fieldset>
      </div>
    </Dialog>
  );
}

/** Returns the lines that hold something, each once. */
function linesOf(text: string): string[] {
  return [...new Set(text.split("\n").map((line) => line.trim()).filter((line) => line !== ""))];
}

function cardOf(
  { title, about, image, buttons }: { title: string; about: string; image: string; buttons: ButtonDraft[] },
): NonNullable<ChatExtras["card"]> {
  return {
    title: title.trim(),
    ...(about.trim() !== "" && { text: about.trim() }),
    ...(image.trim() !== "" && { image_url: image.trim() }),
    buttons: buttons.filter(({ label, url }) => label.trim() !== "" || url.trim() !== "")
      .map(({ label, url }) => ({ label: label.trim(), url: url.trim() })),
  };
}
