import { useEffect, useState } from "preact/hooks";
import { api, ask } from "../../data/client.ts";
import { companyId, link } from "../../data/company.ts";
import { changeQuery, navigate, route } from "../../data/route.ts";
import { Problem } from "../../data/problem.ts";
import { useDraft } from "../../data/draft.ts";
import { createManagedTemplate, type ManagedTemplate } from "../../data/sdk.ts";
import { Button, ButtonLink } from "../../components/button.tsx";
import { Empty } from "../../components/empty.tsx";
import { ErrorNotice } from "../../components/error_notice.tsx";
import { RestoredNote } from "../../components/form/form.tsx";
import { PageHead } from "../../components/page_head.tsx";
import { PhonePreview } from "../../components/phone_preview.tsx";
import { toast } from "../../components/dialog/toast.tsx";
import { useSenders } from "../senders/sender_list.ts";
import { useTemplate } from "../template/template_data.ts";
import { Basics } from "./basic_fields.tsx";
import { ButtonFields } from "./button_fields.tsx";
import { CodeFields } from "./code_fields.tsx";
import { ContentFields } from "./content_fields.tsx";
import { draftOf, EMPTY_DRAFT, requestOf, type TemplateDraft } from "./draft.ts";
import { LibraryDrawer } from "./library_drawer.tsx";
import { faultsOf, fieldOf, refusedField } from "./rules.ts";
import { previewOf } from "./preview.ts";
import { words } from "../../i18n/words.ts";

/** A new template. `?from=` names the one it begins with: it is corrected, or `as=language` in another language. */
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
    if (known && !start) setStart(startOf(known));
  }, [known]);
  if (start === undefined) {
    if (problem) return <ErrorNotice problem={problem} onRetry={reload} />;
    return <p class="loading" role="status">{words().common.loading}</p>;
  }
  const { title, correctTitle } = words().newTemplate;
  return <Form title={known?.status === "rejected" ? correctTitle : title} start={start} />;
}

function startOf(known: ManagedTemplate): TemplateDraft {
  const draft = draftOf(known);
  return route.value.query.as === "language" ? { ...draft, name: known.name, language: "" } : draft;
}

function Form({ title, start }: { title: string; start: TemplateDraft }) {
  const [draft, setDraft] = useState(start);
  const [isComplete, setComplete] = useState(false);
  const restored = useDraft("template", route.value.query.from ?? "new", {
    value: draft,
    stored: start,
    restore: setDraft,
  });
  const [refused, setRefused] = useState<{ problem: Problem; field: string }>();
  const senders = useSenders({ channel: "whatsapp" });
  const accounts = [...new Set((senders.rows ?? []).flatMap(({ waba_id }) => waba_id ?? []))];
  const names = words().newTemplate;
  const chosen = { ...draft, wabaId: draft.wabaId || accounts[0] || "" };
  const faults = faultsOf(chosen, isComplete);
  if (refused?.field && !faults[refused.field]) faults[refused.field] = refusedField(refused.field);

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
      restored.forget();
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
      <PageHead
        title={title}
        above={{ title: words().templates.title, href: link(["templates"]) }}
        actions={<Button onPress={() => changeQuery({ library: "true" })}>{names.library}</Button>}
      />
      {route.value.query.library && (
        <LibraryDrawer
          wabaId={chosen.wabaId}
          onUse={(begun) => change({ ...EMPTY_DRAFT, ...begun, wabaId: draft.wabaId })}
          onClose={() => changeQuery({ library: undefined })}
        />
      )}
      <div class="beside">
        <form
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            void submit();
          }}
        >
          <RestoredNote restored={restored} />
          <Basics draft={chosen} faults={faults} accounts={accounts} onChange={change} />
          {draft.category === "AUTHENTICATION"
            ? <CodeFields draft={draft} faults={faults} onChange={change} />
            : (
              <>
                <ContentFields draft={draft} faults={faults} onChange={change} />
                <ButtonFields
                  buttons={draft.buttons}
                  faults={faults}
                  onChange={(buttons) => change({ buttons })}
                />
              </>
            )}
          {refused && <Refusal {...refused} />}
          {senders.problem && <ErrorNotice problem={senders.problem} onRetry={senders.reload} />}
          <div class="form-end step-end">
            <Button kind="main" disabled={chosen.wabaId === ""} onPress={submit}>{names.submit}</Button>
          </div>
        </form>
        <aside>
          <PhonePreview label={names.preview} message={previewOf(draft)} />
        </aside>
      </div>
    </>
  );
}

function Refusal({ problem }: { problem: Problem }) {
  const { template_id } = Object(problem.details) as { template_id?: string };
  return (
    <>
      {template_id
        ? <p class="error" role="alert">{words().newTemplate.taken}</p>
        : <ErrorNotice problem={problem} />}
      {template_id && (
        <p>
          <a href={link(["templates", template_id])}>{words().newTemplate.existing}</a>
        </p>
      )}
    </>
  );
}

function focusFirstFault(): void {
  setTimeout(() => document.querySelector<HTMLElement>('form [aria-invalid="true"]')?.focus());
}
