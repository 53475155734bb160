import { useState } from "preact/hooks";
import type { InboxConversation, ManagedTemplate } from "../../../data/sdk.ts";
import { describeExpected } from "../../../i18n/codes.ts";
import { messageOf, type TemplateParts, type Values } from "../../../data/template_message.ts";
import { Button } from "../../../components/button.tsx";
import { Dialog } from "../../../components/dialog/dialog.tsx";
import { Field, Select } from "../../../components/form/fields.tsx";
import { PhonePreview } from "../../../components/phone_preview.tsx";
import { attempt, toast } from "../../../components/dialog/toast.tsx";
import { nameOf } from "../names.ts";
import { sendTemplate, useTemplate, useTemplates } from "./send_template.ts";
import { words } from "../../../i18n/words.ts";

/** A template, its values, how it will look, and the button that sends it. */
export function TemplateDialog({ conversation, onClose }: {
  conversation: InboxConversation;
  onClose: () => void;
}) {
  const [chosen, setChosen] = useState<string>();
  const [values, setValues] = useState<Values>({});
  const [isTried, setTried] = useState(false);
  const [refusal, setRefusal] = useState<string>();
  const templates = useTemplates(conversation);
  const templateId = chosen ?? templates?.[0]?.template_id;
  const template = useTemplate(templateId);
  const { templateTitle, templateChoice, templateNone, templateSend, templateSent, templateCampaign } =
    words().inbox;

  async function send(): Promise<void> {
    setTried(true);
    if (template === undefined || missing(template, values).length > 0) return;
    const reply = { conversation, template, values, campaignName: templateCampaign };
    const done = await attempt(async () => ({ refusal: await sendTemplate(reply) }));
    if (done === undefined) return;
    if (done.refusal !== undefined) return setRefusal(done.refusal);
    toast(templateSent);
    onClose();
  }

  return (
    <Dialog
      title={templateTitle(nameOf(conversation))}
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>{words().common.cancel}</Button>
          <Button kind="main" icon="send" disabled={template === undefined} onPress={send}>
            {templateSend}
          </Button>
        </>
      }
    >
      {templates?.length === 0 && <p>{templateNone}</p>}
      {templates && templates.length > 0 && (
        <div class="form">
          <Select
            label={templateChoice}
            value={templateId ?? ""}
            options={templates.map(({ template_id, name, language }) =>
              [template_id, `${name} (${language})`] as const
            )}
            onChange={(id) => {
              setChosen(id);
              setValues({});
              setTried(false);
              setRefusal(undefined);
            }}
          />
          {template && <Filling template={template} values={values} isTried={isTried} onChange={setValues} />}
          {refusal && (
            <p class="notice bad" role="alert">
              {words().inbox.templateRefused} {refusal}
            </p>
          )}
        </div>
      )}
    </Dialog>
  );
}

function Filling({ template, values, isTried, onChange }: {
  template: ManagedTemplate;
  values: Values;
  isTried: boolean;
  onChange: (values: Values) => void;
}) {
  const lacking = isTried ? missing(template, values) : [];
  return (
    <>
      {template.values.filter(({ required }) => required).map(({ name, kind, example }) => (
        <Field
          key={name}
          label={words().inbox.templateVariable(name)}
          help={describeExpected(kind)}
          placeholder={example}
          value={values[name] ?? ""}
          error={lacking.includes(name) ? words().common.required : undefined}
          onChange={(value) => onChange({ ...values, [name]: value })}
        />
      ))}
      <PhonePreview
        label={words().inbox.templatePreview}
        message={messageOf(template as unknown as TemplateParts, values)}
      />
    </>
  );
}

function missing({ values: needed }: ManagedTemplate, values: Values): string[] {
  return needed.filter(({ name, required }) => required && !values[name]?.trim()).map(({ name }) => name);
}
