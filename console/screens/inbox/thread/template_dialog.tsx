import { useState } from "preact/hooks";
import { cleanAddress, isAddress, personOf } from "../../../data/addresses.ts";
import { Problem } from "../../../data/problem.ts";
import type { InboxConversation } from "../../../data/sdk.ts";
import type { Values } from "../../../data/template_message.ts";
import { Button } from "../../../components/button.tsx";
import { Dialog } from "../../../components/dialog/dialog.tsx";
import { Field, Select } from "../../../components/form/fields.tsx";
import { toast } from "../../../components/dialog/toast.tsx";
import { phone } from "../../../i18n/format.ts";
import { nameOf } from "../names.ts";
import { refusalOf } from "./refusal.ts";
import { sendTemplate, useTemplate, useTemplates, useWhatsAppSenders } from "./send_template.ts";
import { missingValues, TemplateFields } from "./template_fields.tsx";
import { words } from "../../../i18n/words.ts";

export interface TemplateDialogProps {
  /** Whom it goes to; the member is asked where there is none. */
  conversation?: InboxConversation;
  /** The number that the field begins with. */
  number?: string;
  onClose: () => void;
}

/** A template to a person: who, from which number, its values, how it will look, and the button that sends it. */
export function TemplateDialog({ conversation, number: known = "", onClose }: TemplateDialogProps) {
  const [typed, setTyped] = useState(known);
  const [senderId, setSenderId] = useState<string>();
  const [chosen, setChosen] = useState<string>();
  const [values, setValues] = useState<Values>({});
  const [isTried, setTried] = useState(false);
  const [refusal, setRefusal] = useState<string>();
  const senders = useWhatsAppSenders();
  const wanted = conversation?.sender_id ?? senderId;
  const sender = senders?.find(({ sender_id }) => sender_id === wanted) ??
    (conversation ? undefined : senders?.[0]);
  const templates = useTemplates(sender);
  const templateId = templates?.some(({ template_id }) => template_id === chosen)
    ? chosen
    : templates?.[0]?.template_id;
  const template = useTemplate(templateId);
  const address = conversation ? conversation.number ?? conversation.user_id ?? "" : cleanAddress(typed);
  const names = words().inbox;
  const wrong = isTried && !isAddress(address) ? names.numberWrong : undefined;

  function begin(): void {
    setValues({});
    setTried(false);
    setRefusal(undefined);
  }

  async function send(): Promise<void> {
    setTried(true);
    setRefusal(undefined);
    if (!sender || !template || !isAddress(address) || missingValues(template, values).length > 0) return;
    try {
      const campaignName = conversation ? names.templateCampaign : names.newCampaign;
      await sendTemplate({ person: personOf(address), sender, template, values, campaignName });
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return setRefusal(refusalOf(error));
    }
    toast(names.templateSent);
    onClose();
  }

  return (
    <Dialog
      title={conversation ? names.templateTitle(nameOf(conversation)) : names.begin}
      onClose={onClose}
      staysOpen
      actions={
        <>
          <Button onPress={onClose}>{words().common.cancel}</Button>
          <Button kind="main" icon="send" disabled={template === undefined} onPress={send}>
            {names.templateSend}
          </Button>
        </>
      }
    >
      <div class="form">
        {!conversation && (
          <>
            <Field
              type="tel"
              label={names.beginNumber}
              help={names.beginNumberHelp}
              error={wrong}
              value={typed}
              onChange={setTyped}
            />
            {senders && senders.length > 1 && (
              <Select
                label={names.beginSender}
                value={sender?.sender_id ?? ""}
                options={senders.map(({ sender_id, number }) => [sender_id, phone(number)] as const)}
                onChange={(id) => {
                  setSenderId(id);
                  begin();
                }}
              />
            )}
          </>
        )}
        {templates?.length === 0 && <p>{names.templateNone}</p>}
        {templates && templates.length > 0 && (
          <Select
            label={names.templateChoice}
            value={templateId ?? ""}
            options={templates.map(({ template_id, name, language }) =>
              [template_id, `${name} (${language})`] as const
            )}
            onChange={(id) => {
              setChosen(id);
              begin();
            }}
          />
        )}
        {template && (
          <TemplateFields template={template} values={values} isTried={isTried} onChange={setValues} />
        )}
        {refusal && (
          <p class="notice bad" role="alert">
            {names.templateRefused} {refusal}
          </p>
        )}
      </div>
    </Dialog>
  );
}
