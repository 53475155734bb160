import { useState } from "preact/hooks";
import type { KnowledgeText } from "../../data/sdk.ts";
import { Field, Select } from "../../components/form/fields.tsx";
import { FormDialog } from "../../components/form/form.tsx";
import { attempt, toast } from "../../components/dialog/toast.tsx";
import { searchLanguages, tagOf } from "./search_languages.ts";
import { addDocument, removeDocument } from "./knowledge_data.ts";
import { words } from "../../i18n/words.ts";

/** Adds a document, or puts a changed one in place of `document`: the API changes none. */
export function DocumentForm({ document, onClose, onSaved }: {
  document?: KnowledgeText;
  onClose: () => void;
  onSaved: (documentId: string) => void;
}) {
  const [title, setTitle] = useState(document?.title ?? "");
  const [content, setContent] = useState(document?.content ?? "");
  const [url, setUrl] = useState(document?.url ?? "");
  const [language, setLanguage] = useState(tagOf(document?.language));
  const names = words().knowledge;

  async function save(): Promise<void> {
    const given = { ...(url.trim() && { url: url.trim() }), ...(language && { language }) };
    const { document_id } = await addDocument({ title: title.trim(), content, ...given });
    // The old one goes last, so that a failure leaves two rather than none.
    if (document) await attempt(() => removeDocument(document.document_id));
    toast(words().common.saved);
    onClose();
    onSaved(document_id);
  }

  return (
    <FormDialog
      title={document ? names.edit : names.add}
      action={words().common.save}
      onSave={save}
      onClose={onClose}
    >
      {(errorOf) => (
        <>
          <Field label={names.name} value={title} error={errorOf("title")} onChange={setTitle} />
          <Field
            label={names.content}
            rows={10}
            value={content}
            help={names.contentHelp}
            error={errorOf("content")}
            onChange={setContent}
          />
          <Field
            label={names.url}
            type="url"
            value={url}
            placeholder="https://shop.example/returns"
            help={names.urlHelp}
            error={errorOf("url")}
            onChange={setUrl}
          />
          <Select
            label={names.language}
            help={names.languageHelp}
            value={language}
            options={[["", names.noLanguage], ...searchLanguages()]}
            onChange={setLanguage}
          />
        </>
      )}
    </FormDialog>
  );
}
