import type { ManagedTemplate } from "../../../data/sdk.ts";
import { describeExpected } from "../../../i18n/codes.ts";
import { messageOf, type TemplateParts, type Values } from "../../../data/template_message.ts";
import { Field } from "../../../components/form/fields.tsx";
import { PhonePreview } from "../../../components/phone_preview.tsx";
import { fieldLabel } from "../../compose/steps/field_label.ts";
import { words } from "../../../i18n/words.ts";

/** The values that a template needs, and how it looks with them. */
export function TemplateFields({ template, values, isTried, onChange }: {
  template: ManagedTemplate;
  values: Values;
  isTried: boolean;
  onChange: (values: Values) => void;
}) {
  const lacking = isTried ? missingValues(template, values) : [];
  return (
    <>
      {template.values.filter(({ required }) => required).map(({ name, kind, example }) => (
        <Field
          key={name}
          label={fieldLabel(name, template)}
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

/** Returns the names of the values that are still missing. */
export function missingValues({ values: needed }: ManagedTemplate, values: Values): string[] {
  return needed.filter(({ name, required }) => required && !values[name]?.trim()).map(({ name }) => name);
}
