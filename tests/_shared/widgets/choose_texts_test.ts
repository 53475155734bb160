import assert from "node:assert/strict";
import { BUILT_IN_TEXTS } from "../../../supabase/functions/_shared/widgets/built_in_texts.ts";
import { chooseTexts } from "../../../supabase/functions/_shared/widgets/choose_texts.ts";

const config = {
  default_language: "en",
  texts: {
    en: { welcome: "Hello", title: "Acme", send: "Go" },
    es: { welcome: "Hola" },
    "es-MX": { title: "Acme México" },
    "pt-BR": { welcome: "Oi" },
  },
};

/** Wanted language → chosen language, welcome, title, send, placeholder. */
const CASES: [wanted: string | undefined, language: string, ...texts: string[]][] = [
  [undefined, "en", "Hello", "Acme", "Go", "Write a message"],
  ["en-GB", "en", "Hello", "Acme", "Go", "Write a message"],
  ["es", "es", "Hola", "Acme", "Go", "Escriba un mensaje"],
  ["es-MX", "es-MX", "Hola", "Acme México", "Go", "Escriba un mensaje"],
  ["ES-mx", "es-MX", "Hola", "Acme México", "Go", "Escriba un mensaje"],
  ["es-AR", "es", "Hola", "Acme", "Go", "Escriba un mensaje"],
  ["pt-BR", "pt-BR", "Oi", "Acme", "Go", "Escreva uma mensagem"],
  ["pt", "en", "Hello", "Acme", "Go", "Write a message"],
  ["fr", "en", "Hello", "Acme", "Go", "Write a message"],
  ["", "en", "Hello", "Acme", "Go", "Write a message"],
  ["__proto__", "en", "Hello", "Acme", "Go", "Write a message"],
  ["constructor", "en", "Hello", "Acme", "Go", "Write a message"],
];

Deno.test("chooseTexts() goes from the very language over its base and the widget's default to ours", () => {
  for (const [wanted, language, ...expected] of CASES) {
    const chosen = chooseTexts("chat", config, wanted);
    const { welcome, title, send, placeholder } = chosen.texts;

    assert.equal(chosen.language, language, String(wanted));
    assert.deepEqual([welcome, title, send, placeholder], expected, String(wanted));
    assert.deepEqual(chosen.available_languages, ["en", "es", "es-MX", "pt-BR"]);
  }
});

Deno.test("chooseTexts() speaks all our languages for a widget without texts of its own", () => {
  const plain = { default_language: "de", texts: {} };

  assert.equal(chooseTexts("chat", plain, "fr-CA").texts.send, "Envoyer");
  assert.equal(chooseTexts("chat", plain, "ja").language, "de");
  assert.deepEqual(
    chooseTexts("chat", plain, undefined).available_languages,
    Object.keys(BUILT_IN_TEXTS.chat),
  );
});

Deno.test("chooseTexts() offers the default language even where no text is in it", () => {
  const chosen = chooseTexts("chat", { default_language: "it", texts: { es: { welcome: "Hola" } } }, "en");

  assert.deepEqual([chosen.language, chosen.available_languages], ["it", ["it", "es"]]);
  assert.equal(chosen.texts.send, "Send");
});

Deno.test("our texts have the same names in every language", () => {
  for (const languages of Object.values(BUILT_IN_TEXTS)) {
    const names = Object.keys(languages.en);
    for (const [language, texts] of Object.entries(languages)) {
      assert.deepEqual(Object.keys(texts).sort(), names.toSorted(), language);
    }
  }
});
