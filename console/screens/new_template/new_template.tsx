import { useEffect, useState } from "preact/hooks";
import { api, ask } from "../../data/client.ts";
import { companyId, link } from "../../data/company.ts";
import { navigate, route } from "../../data/route.ts";
import { Problem } from "../../data/problem.ts";
import { createManagedTemplate } from "../../data/sdk.ts";
import { messageOf } from "../../data/template_message.ts";
import { Button, ButtonLink } from "../../components/button.tsx";
import { Empty } from "../../components/empty.tsx";
import { ErrorNotice } from "../../components/error_notice.tsx";
import { Field, Select } from "../../components/form/fields.tsx";
import { PageHead } from "../../components/page_head.tsx";
import { PhonePreview } from "../../components/phone_preview.tsx";
import { toast } from "../../components/dialog/toast.tsx";
import { useSenders } from "../senders/sender_list.ts";
import { useTemplate } from "../template/template_data.ts";
import { ButtonFields } from "./button_fields.tsx";
import { ContentFields } from "./content_fields.tsx";
import { draftOf, EMPTY_DRAFT, partsOf, requestOf, type TemplateDraft } from "./draft.ts";
import { faultsOf, fieldOf } from "./rules.ts";
import { words } from "../../i18n/words.ts";

/** A new template, or one that is corrected: `?from=` names the one it begins with. */
export default function NewTemplate() {
  const { from } = route.value.query;
  return from
    ? <FromKnown key={from} templateId={from} />
    : <Form title={words().newTemplate.title} start={EMPTY_DRAFT} />;
}

function FromKnown({ templateId }: { templateId: string }) {
  const { data: known, problem, reload } = useTemplate(templateId);
  const [start, setStart] = useState<TemplateDraft>();
  useEffect(() => {
    if (known && !start) setStart(draftOf(known));
  }, [known]);
  if (start === undefined) {
    if (problem) return <ErrorNotice problem={problem} onRetry={reload} />;
    return <p class="loading" role="status">{words().common.loading}</p>;
  }
  const { title, correctTitle } = words().newTemplate;
  return <Form title={known?.status === "rejected" ? correctTitle : title} start={start} />;
}

function Form({ title, start }: { title: string; start: TemplateDraft }) {
  const [draft, setDraft] = useState(start);
  const [isComplete, setComplete] = useState(false);
  const [refused, setRefused] = useState<{ problem: Problem; field: string }>();
  const senders = useSenders({ channel: "whatsapp" });
  const accounts = [...new Set((senders.rows ?? []).flatMap(({ waba_id }) => waba_id ?? []))];
  const names = words().newTemplate;
  const chosen = { ...draft, wabaId: draft.wabaId || accounts[0] || "" };
  const faults = faultsOf(chosen, isComplete);
  if (refused?.field && !faults[refused.field]) faults[refused.field] = expectedOf(refused.problem);

  function change(part: Partial<TemplateDraft>): void {
    setDraft({ ...draft, ...part });
    setRefused(undefined);
  }

  async function submit(): Promise<void> {
    setComplete(true);
    if (Object.keys(faultsOf(chosen, true)).length > 0) return focusFirstFault();
    try {
      const path = { company_id: companyId() };
      const { template } = await ask(createManagedTemplate({ client: api(), path, body: requestOf(chosen) }));
      toast(names.submitted);
      navigate(link(["templates", template.id]));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      setRefused({ problem: error, field: fieldOf(String(Object(error.details).field ?? "")) });
      focusFirstFault();
    }
  }

  if (senders.isComplete && accounts.length === 0) {
    return (
      <Empty
        title={names.noAccount}
        action={<ButtonLink href={link(["senders"])}>{names.toSenders}</ButtonLink>}
      >
        {names.noAccountHelp}
      </Empty>
    );
  }
  return (
    <>
      <PageHead title={title} above={{ title: words().templates.title, href: link(["templates"]) }} />
      <div class="beside">
        <form
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            void submit();
          }}
        >
          <Basics draft={chosen} faults={faults} accounts={accounts} onChange={change} />
          <ContentFields draft={draft} faults={faults} onChange={change} />
          <ButtonFields buttons={draft.buttons} faults={faults} onChange={(buttons) => change({ buttons })} />
          {refused && <Refusal {...refused} />}
          <div class="form-end step-end">
            <Button kind="main" onPress={submit}>{names.submit}</Button>
          </div>
        </form>
        <aside>
          <PhonePreview label={names.preview} message={previewOf(draft)} />
        </aside>
      </div>
    </>
  );
}

function Basics({ draft, faults, accounts, onChange }: {
  draft: TemplateDraft;
  faults: ReturnType<typeof faultsOf>;
  accounts: string[];
  onChange: (change: Partial<TemplateDraft>) => void;
}) {
  const names = words().newTemplate;
  const { categories } = words().templates;
  return (
    <section class="step">
      <h2>{names.basics}</h2>
      <div class="form">
        {accounts.length > 1 && (
          <Select
            label={names.account}
            value={draft.wabaId}
            options={accounts.map((each) => [each, each] as const)}
            onChange={(wabaId) => onChange({ wabaId })}
          />
        )}
        <div class="form-row">
          <Field
            label={names.name}
            help={names.nameHelp}
            error={faults.name}
            value={draft.name}
            placeholder="order_ready"
            onChange={(value) => onChange({ name: value.toLowerCase().replaceAll(/[\s-]+/g, "_") })}
          />
          <Field
            label={names.language}
            help={names.languageHelp}
            error={faults.language}
            value={draft.language}
            onChange={(value) => onChange({ language: value.trim() })}
          />
        </div>
        <Select
          label={names.category}
          help={names.categoryHelp[draft.category]}
          value={draft.category}
          options={[["UTILITY", categories.UTILITY!], ["MARKETING", categories.MARKETING!]]}
          onChange={(category) => onChange({ category })}
        />
      </div>
    </section>
  );
}

function Refusal({ problem }: { problem: Problem }) {
  const { template_id } = Object(problem.details) as { template_id?: string };
  return (
    <>
      <ErrorNotice problem={problem} />
      {template_id && (
        <p>
          <a href={link(["templates", template_id])}>{words().newTemplate.existing}</a>
        </p>
      )}
    </>
  );
}

/** Returns the rule that a refusal names, in the API's words. */
function expectedOf({ details, message }: Problem): string {
  const { expected_format, reason } = Object(details) as { expected_format?: string; reason?: string };
  return expected_format ?? reason ?? message;
}

function previewOf(draft: TemplateDraft) {
  const values = Object.fromEntries(draft.examples.map((value, index) => [`body_text_${index}`, value]));
  return messageOf({ components: partsOf(draft), parameter_format: "POSITIONAL" }, values);
}

function focusFirstFault(): void {
  setTimeout(() => document.querySelector<HTMLElement>('form [aria-invalid="true"]')?.focus());
}
