import { useState } from "preact/hooks";
import { may } from "../../data/company.ts";
import { changeQuery } from "../../data/route.ts";
import { Button } from "../../components/button.tsx";
import { confirm } from "../../components/dialog/confirm.tsx";
import { Drawer } from "../../components/dialog/dialog.tsx";
import { ErrorNotice } from "../../components/error_notice.tsx";
import { Fact, Facts } from "../../components/facts.tsx";
import { Time } from "../../components/time.tsx";
import { attempt, toast } from "../../components/dialog/toast.tsx";
import { DocumentForm } from "./document_form.tsx";
import { removeDocument, useDocument } from "./knowledge_data.ts";
import { languageName } from "./search_languages.ts";
import { words } from "../../i18n/words.ts";

/** One document with its text. */
export function DocumentDrawer({ documentId, onChanged, onClose }: {
  documentId: string;
  onChanged: () => void;
  onClose: () => void;
}) {
  const { data, problem, reload } = useDocument(documentId);
  const [isEditing, setEditing] = useState(false);
  const names = words().knowledge;

  async function remove(title: string): Promise<void> {
    const { removeTitle, removeText, removed } = words().knowledge;
    const question = {
      title: removeTitle(title),
      text: removeText,
      action: words().common.remove,
      isDanger: true,
    };
    if (!await confirm(question)) return;
    if (await attempt(() => removeDocument(documentId).then(() => true))) {
      toast(removed);
      onClose();
    }
    onChanged();
  }

  if (isEditing && data) {
    return (
      <DocumentForm
        document={data}
        onClose={() => setEditing(false)}
        onSaved={(id) => {
          changeQuery({ document: id });
          onChanged();
        }}
      />
    );
  }
  return (
    <Drawer
      title={data?.title ?? names.document}
      onClose={onClose}
      actions={data && may("operator") && (
        <>
          <Button kind="danger" onPress={() => remove(data.title)}>{words().common.remove}</Button>
          <Button kind="main" onPress={() => setEditing(true)}>{names.edit}</Button>
        </>
      )}
    >
      {problem && <ErrorNotice problem={problem} onRetry={reload} />}
      {!data && !problem && <p class="loading" role="status">{words().common.loading}</p>}
      {data && (
        <>
          <Facts>
            <Fact name={names.url}>{data.url && <code>{data.url}</code>}</Fact>
            <Fact name={names.language}>{languageName(data.language)}</Fact>
            <Fact name={names.added}>
              <Time at={data.created_at} style="full" />
            </Fact>
          </Facts>
          <p class="document">{data.content}</p>
        </>
      )}
    </Drawer>
  );
}
