import { useState } from "preact/hooks";
import { api, ask } from "../../data/client.ts";
import { companyId, link } from "../../data/company.ts";
import { useQuery } from "../../data/query.ts";
import { navigate, route } from "../../data/route.ts";
import { changeMyView, listMyViews, type MyView, removeMyView, saveMyView } from "../../data/sdk.ts";
import { Button } from "../button.tsx";
import { attempt, toast } from "../dialog/toast.tsx";
import { Field } from "../form/fields.tsx";
import { FormDialog } from "../form/form.tsx";
import { Menu } from "../menu.tsx";
import { viewWords } from "../../i18n/view_words.ts";
import { words } from "../../i18n/words.ts";

/** The API takes no more. */
const MAX_VIEWS = 100;

/** The member's own views of a list: those filters of the address that are named, under a name. */
export function SavedViews({ screen, path, filters }: {
  screen: MyView["screen"];
  /** Of the list, below the company. */
  path: string[];
  /** The names of the filters in the address. */
  filters: readonly string[];
}) {
  const of = { company_id: companyId() };
  const { data: views, patch } = useQuery(
    `views ${of.company_id} ${screen}`,
    async (signal) => (await ask(listMyViews({ client: api(), path: of, query: { screen }, signal }))).views,
  );
  const [named, setNamed] = useState<MyView | "new">();
  const names = viewWords();
  const query = queryOf(filters);

  async function remove(view: MyView): Promise<void> {
    const removed = await attempt(() =>
      ask(removeMyView({ client: api(), path: { ...of, view_id: view.view_id } }))
    );
    if (!removed) return;
    const { name, query } = view;
    patch((known) => known.filter(({ view_id }) => view_id !== view.view_id));
    toast(names.removed(name), { undo: () => attempt(async () => put(await add(name, query))) });
  }

  async function add(name: string, query: string): Promise<MyView> {
    return await ask(saveMyView({ client: api(), path: of, body: { screen, name, query } }));
  }

  /** Shows a view that was saved or changed, by its name. */
  function put(view: MyView): void {
    patch((known) =>
      [...known.filter(({ view_id }) => view_id !== view.view_id), view]
        .sort((a, b) => a.name.localeCompare(b.name))
    );
  }

  return (
    <>
      <Menu label={names.title}>
        {(close) => (
          <>
            {views?.length === 0 && <p class="help">{names.none}</p>}
            {views !== undefined && views.length > 0 && (
              <ul class="saved-views">
                {views.map((view) => (
                  <li key={view.view_id}>
                    <Button
                      kind="quiet"
                      onPress={() => {
                        close();
                        navigate(link(path, Object.fromEntries(new URLSearchParams(view.query))));
                      }}
                    >
                      {view.name}
                    </Button>
                    <Button
                      kind="quiet"
                      icon="note"
                      label={names.renameOne(view.name)}
                      onPress={() => {
                        close();
                        setNamed(view);
                      }}
                    />
                    <Button
                      kind="quiet"
                      icon="close"
                      label={names.removeOne(view.name)}
                      onPress={() => {
                        close();
                        return remove(view);
                      }}
                    />
                  </li>
                ))}
              </ul>
            )}
            <Button
              disabled={query === "" || (views?.length ?? 0) >= MAX_VIEWS}
              title={query === "" ? names.noFilter : undefined}
              onPress={() => {
                close();
                setNamed("new");
              }}
            >
              {names.save}
            </Button>
          </>
        )}
      </Menu>
      {named && (
        <NameView
          view={named === "new" ? undefined : named}
          onSave={async (name) => {
            put(
              named === "new" ? await add(name, query) : await ask(changeMyView({
                client: api(),
                path: { ...of, view_id: named.view_id },
                body: { name, query: named.query },
              })),
            );
            toast(words().common.saved);
            setNamed(undefined);
          }}
          onClose={() => setNamed(undefined)}
        />
      )}
    </>
  );
}

function NameView({ view, onSave, onClose }: {
  view: MyView | undefined;
  onSave: (name: string) => Promise<void>;
  onClose: () => void;
}) {
  const [name, setName] = useState(view?.name ?? "");
  const names = viewWords();
  return (
    <FormDialog
      title={view ? names.rename : names.save}
      action={words().common.save}
      disabled={name.trim() === ""}
      onSave={() => onSave(name.trim())}
      onClose={onClose}
    >
      {(errorOf) => (
        <Field
          label={names.name}
          value={name}
          error={errorOf("name") && names.nameTaken}
          onChange={setName}
        />
      )}
    </FormDialog>
  );
}

/** Returns the filters that are set, as an address has them. */
function queryOf(filters: readonly string[]): string {
  const { query } = route.value;
  const given = filters.flatMap((name) => query[name] ? [[name, query[name]]] : []);
  return new URLSearchParams(given).toString();
}
