import { type Language, language } from "./language.ts";

/** The words of saved views. They stand apart because only lists need them, and the words of all load first. */
const WORDS = {
  en: {
    title: "Saved views",
    none: "No view is saved yet. Choose filters, then save them here.",
    noFilter: "Choose a filter first",
    save: "Save these filters",
    rename: "Rename the view",
    renameOne: (name: string) => `Rename ${name}`,
    removeOne: (name: string) => `Remove ${name}`,
    removed: (name: string) => `The view “${name}” is removed.`,
    name: "Name",
    nameTaken: "You have a view with this name already.",
  },
  es: {
    title: "Vistas guardadas",
    none: "Aún no hay ninguna vista guardada. Elige filtros y guárdalos aquí.",
    noFilter: "Elige antes un filtro",
    save: "Guardar estos filtros",
    rename: "Cambiar el nombre de la vista",
    renameOne: (name: string) => `Cambiar el nombre de ${name}`,
    removeOne: (name: string) => `Quitar ${name}`,
    removed: (name: string) => `La vista «${name}» se ha quitado.`,
    name: "Nombre",
    nameTaken: "Ya tienes una vista con este nombre.",
  },
  pt: {
    title: "Visões salvas",
    none: "Nenhuma visão foi salva ainda. Escolha filtros e salve-os aqui.",
    noFilter: "Escolha antes um filtro",
    save: "Salvar estes filtros",
    rename: "Renomear a visão",
    renameOne: (name: string) => `Renomear ${name}`,
    removeOne: (name: string) => `Remover ${name}`,
    removed: (name: string) => `A visão “${name}” foi removida.`,
    name: "Nome",
    nameTaken: "Você já tem uma visão com este nome.",
  },
} satisfies Record<Language, unknown>;

/** Returns the words of saved views in the member's language. */
export function viewWords(): typeof WORDS.en {
  return WORDS[language.value];
}
