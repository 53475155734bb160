import { useState } from "preact/hooks";
import { link, may } from "../../data/company.ts";
import { changeQuery, route } from "../../data/route.ts";
import type { KnowledgeDocument } from "../../data/sdk.ts";
import { Button } from "../../components/button.tsx";
import { Empty } from "../../components/empty.tsx";
import { PageHead } from "../../components/page_head.tsx";
import type { Column } from "../../components/table/columns.ts";
import { DataTable } from "../../components/table/data_table.tsx";
import { timeColumn } from "../../components/table/time_column.tsx";
import { count } from "../../i18n/format.ts";
import { DocumentDrawer } from "./document_drawer.tsx";
import { DocumentForm } from "./document_form.tsx";
import { useDocuments } from "./knowledge_data.ts";
import { languageName } from "./search_languages.ts";
import { words } from "../../i18n/words.ts";

/** The documents that voice widgets search for their visitors. */
export default function Knowledge() {
  const list = useDocuments();
  const [isAdding, setAdding] = useState(false);
  const { document } = route.value.query;
  const names = words().knowledge;
  const add = may("operator") && (
    <Button kind="main" icon="plus" onPress={() => setAdding(true)}>{names.add}</Button>
  );
  return (
    <>
      <PageHead
        title={names.title}
        facts={<span>{names.about}</span>}
        actions={list.rows?.length !== 0 && add}
      />
      <DataTable
        label={names.title}
        list={list}
        columns={columns()}
        hrefOf={({ document_id }) => link(["knowledge"], { ...route.value.query, document: document_id })}
        empty={<Empty title={names.none} action={add}>{names.noneHelp}</Empty>}
      />
      {document && (
        <DocumentDrawer
          key={document}
          documentId={document}
          onChanged={list.reload}
          onClose={() => changeQuery({ document: undefined })}
        />
      )}
      {isAdding && <DocumentForm onClose={() => setAdding(false)} onSaved={list.reload} />}
    </>
  );
}

function columns(): Column<KnowledgeDocument>[] {
  const names = words().knowledge;
  return [
    { name: "title", title: names.document, cell: ({ title }) => title, sortBy: ({ title }) => title },
    { name: "url", title: names.url, from: "wide", cell: ({ url }) => url && <span title={url}>{url}</span> },
    {
      name: "language",
      title: names.language,
      width: "120px",
      from: "medium",
      cell: ({ language }) => languageName(language),
    },
    {
      name: "characters",
      title: names.characters,
      width: "112px",
      align: "end",
      cell: ({ characters }) => count(characters),
      sortBy: ({ characters }) => characters,
    },
    timeColumn("created", names.added, ({ created_at }) => created_at, { sorts: true }),
  ];
}
