import { link } from "../../data/company.ts";
import { navigate } from "../../data/route.ts";
import { PageHead } from "../../components/page_head.tsx";
import { ListEditor } from "./list_editor.tsx";
import { words } from "../../i18n/words.ts";

/** A new list of those who meet a condition. */
export default function NewList() {
  const names = words().lists;
  return (
    <>
      <PageHead title={names.newCondition} above={{ title: names.title, href: link(["lists"]) }} />
      <ListEditor
        onSaved={({ list_id }) => navigate(link(["lists", list_id]))}
        onClose={() => navigate(link(["lists"]))}
      />
    </>
  );
}
