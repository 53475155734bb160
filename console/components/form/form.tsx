import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { readAllShown } from "../../data/entries.ts";
import { isChangedMeanwhile, Problem } from "../../data/problem.ts";
import { session } from "../../data/session/session.ts";
import type { Restored } from "../../data/draft.ts";
import { useUnsaved } from "../../data/unsaved.ts";
import { Button } from "../button.tsx";
import { confirm } from "../dialog/confirm.tsx";
import { Dialog } from "../dialog/dialog.tsx";
import { ErrorNotice } from "../error_notice.tsx";
import { formatWords } from "../../i18n/codes.ts";
import { moment } from "../../i18n/format.ts";
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
  /** Takes back what was entered. The buttons then stay in view while something is not saved. */
  onDiscard?: () => void;
  /** From `useDraft`: what was entered is restored when the form is opened again. */
  restored?: Restored;
  /** Called when something was entered that is not saved, and when it is. */
  onUnsaved?: (isUnsaved: boolean) => void;
  disabled?: boolean;
  /** Without buttons: for who may only read. */
  isReadOnly?: boolean;
}

/** Fields and a button that sends them. */
export function Form(
  {
    action,
    onSave,
    children,
    onReload,
    others,
    onDiscard,
    restored,
    onUnsaved,
    disabled = false,
    isReadOnly = false,
  }: FormProps,
) {
  const [problem, setProblem] = useState<Problem>();
  const [isBusy, setBusy] = useState(false);
  const [isTouched, setTouched] = useState(false);
  const isTyped = isTouched || restored?.typedAt !== undefined;
  const isUnsaved = isTyped && !isReadOnly && (onDiscard === undefined || !disabled);
  useUnsaved(isUnsaved && !isBusy && session.value !== undefined, restored !== undefined);
  // Before the browser paints: the next key may be the one that closes the dialog.
  useLayoutEffect(() => onUnsaved?.(isUnsaved), [isUnsaved]);
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
      restored?.forget();
      setTouched(false);
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

  function discard(): void {
    setProblem(undefined);
    setTouched(false);
    onDiscard?.();
  }

  const isElsewhere = problem !== undefined && !asked.some((field) => isAbout(problem, field));
  return (
    <form
      class="form"
      onSubmit={submit}
      onInput={() => setTouched(true)}
      onChange={() => setTouched(true)}
      noValidate
    >
      {restored && <RestoredNote restored={restored} />}
      {fields}
      {isElsewhere && (
        <ErrorNotice problem={problem} onRetry={isChangedMeanwhile(problem) ? reload : undefined} />
      )}
      {!isReadOnly && (
        <div class={`form-actions${onDiscard && isUnsaved ? " stays" : ""}`}>
          {onDiscard && isUnsaved && (
            <>
              <span class="facts" role="status">{words().common.notSaved}</span>
              <Button onPress={discard}>{words().common.discard}</Button>
            </>
          )}
          {others}
          <Button type="submit" kind="main" disabled={isBusy || disabled}>{action}</Button>
        </div>
      )}
    </form>
  );
}

/** A form in a dialog. */
export function FormDialog(
  { title, onClose, ...form }:
    & Omit<FormProps, "others" | "onReload" | "onUnsaved" | "onDiscard" | "restored">
    & {
      title: string;
      onClose: () => void;
    },
) {
  const isUnsaved = useRef(false);

  async function close(): Promise<void> {
    if (!isUnsaved.current || await confirmDiscard()) onClose();
  }

  return (
    <Dialog title={title} onClose={() => void close()} staysOpen>
      <Form
        {...form}
        onUnsaved={(is) => isUnsaved.current = is}
        onReload={onClose}
        others={<Button onPress={() => void close()}>{words().common.cancel}</Button>}
      />
    </Dialog>
  );
}

/** Asks whether what was typed may be left, or lost where it is not kept. */
export function confirmDiscard(isKept = false): Promise<boolean> {
  const { discardTitle, discardText, discard, leaveKept, leavePage } = words().common;
  return isKept
    ? confirm({ title: discardTitle, text: leaveKept, action: leavePage })
    : confirm({ title: discardTitle, text: discardText, action: discard, isDanger: true });
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

function explain({ details, message, status }: Problem): string {
  const { reason, expected_format } = details as FieldDetails;
  const { required, expected, wrongValue } = words().common;
  // The page itself found it, and has words for it.
  if (status === 0 && message !== "") return message;
  if (reason === "required") return required;
  const format = typeof expected_format === "string" ? formatWords(expected_format) : undefined;
  return format === undefined ? wrongValue : expected(format);
}

/** Says that a form shows what was typed earlier, with a way to take it back. */
export function RestoredNote({ restored: { typedAt, discard } }: { restored: Restored }) {
  if (typedAt === undefined) return null;
  return (
    <p class="restored" role="status">
      {words().common.restored(moment(typedAt))}
      <Button kind="quiet" onPress={discard}>{words().common.discard}</Button>
    </p>
  );
}
