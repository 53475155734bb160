import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { readAllShown } from "../../data/entries.ts";
import { isChangedMeanwhile, Problem } from "../../data/problem.ts";
import { Button } from "../button.tsx";
import { Dialog } from "../dialog/dialog.tsx";
import { ErrorNotice } from "../error_notice.tsx";
import { words } from "../../i18n/words.ts";

/** Returns what the API says is wrong with a field, by the field's name in the request. */
export type ErrorOf = (field: string) => string | undefined;

interface FormProps {
  /** The verb of the button. */
  action: string;
  /** Sends what was entered. A `Problem` that it throws shows at its field, or below all of them. */
  onSave: () => Promise<unknown>;
  /** Shows the fields. */
  children: (errorOf: ErrorOf) => ComponentChildren;
  /** Called after the person chose to read anew what another member has changed. */
  onReload?: () => void;
  /** Left of the button. */
  others?: ComponentChildren;
  disabled?: boolean;
  /** Without buttons: for who may only read. */
  isReadOnly?: boolean;
}

/** Fields and a button that sends them. */
export function Form(
  { action, onSave, children, onReload, others, disabled = false, isReadOnly = false }: FormProps,
) {
  const [problem, setProblem] = useState<Problem>();
  const [isBusy, setBusy] = useState(false);
  const asked: string[] = [];
  const fields = children((field) => {
    asked.push(field);
    return problem && isAbout(problem, field) ? explain(problem) : undefined;
  });

  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    if (isBusy) return;
    setBusy(true);
    setProblem(undefined);
    try {
      await onSave();
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      setProblem(error);
    } finally {
      setBusy(false);
    }
  }

  function reload(): void {
    setProblem(undefined);
    readAllShown();
    onReload?.();
  }

  const isElsewhere = problem !== undefined && !asked.some((field) => isAbout(problem, field));
  return (
    <form class="form" onSubmit={submit} noValidate>
      {fields}
      {isElsewhere && (
        <ErrorNotice problem={problem} onRetry={isChangedMeanwhile(problem) ? reload : undefined} />
      )}
      {!isReadOnly && (
        <div class="form-actions">
          {others}
          <Button type="submit" kind="main" disabled={isBusy || disabled}>{action}</Button>
        </div>
      )}
    </form>
  );
}

/** A form in a dialog. */
export function FormDialog(
  { title, onClose, ...form }: Omit<FormProps, "others" | "onReload"> & {
    title: string;
    onClose: () => void;
  },
) {
  return (
    <Dialog title={title} onClose={onClose} staysOpen>
      <Form
        {...form}
        onReload={onClose}
        others={<Button onPress={onClose}>{words().common.cancel}</Button>}
      />
    </Dialog>
  );
}

interface FieldDetails {
  field?: unknown;
  reason?: unknown;
  expected_format?: unknown;
}

/** Whether a refusal names the field, or something inside it. */
function isAbout({ details }: Problem, name: string): boolean {
  const { field } = (details ?? {}) as FieldDetails;
  if (typeof field !== "string") return false;
  return field === name || field.startsWith(`${name}.`) || field.startsWith(`${name}[`);
}

function explain({ details, message }: Problem): string {
  const { reason, expected_format } = details as FieldDetails;
  if (reason === "required") return words().common.required;
  return typeof expected_format === "string" ? words().common.expected(expected_format) : message;
}
