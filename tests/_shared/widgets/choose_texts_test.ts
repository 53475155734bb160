import assert from "node:assert/strict";
import { BUILT_IN_TEXTS, chooseTexts } from "../../../supabase/functions/_shared/widgets/choose_texts.ts";

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
  ["pt", "pt", "Hello", "Acme", "Go", "Escreva uma mensagem"],
  ["fr-CA", "fr", "Hello", "Acme", "Go", "Écrivez un message"],
  ["it", "it", "Hello", "Acme", "Go", "Scriva un messaggio"],
  ["sv", "en", "Hello", "Acme", "Go", "Write a message"],
  ["", "en", "Hello", "Acme", "Go", "Write a message"],
  ["__proto__", "en", "Hello", "Acme", "Go", "Write a message"],
  ["constructor", "en", "Hello", "Acme", "Go", "Write a message"],
];

Deno.test("chooseTexts() takes the company's text in the language asked for, or its default one; ours where it wrote none", () => {
  for (const [wanted, language, ...expected] of CASES) {
    const chosen = chooseTexts("chat", config, wanted);
    const { welcome, title, send, placeholder } = chosen.texts;

    assert.equal(chosen.language, language, String(wanted));
    assert.deepEqual([welcome, title, send, placeholder], expected, String(wanted));
    assert.deepEqual(chosen.available_languages, [
      "en",
      "es",
      "es-MX",
      "pt-BR",
      "pt",
      "fr",
      "de",
      "it",
      "nl",
      "pl",
      "tr",
      "ar",
      "hi",
      "ja",
      "zh",
    ]);
  }
});

Deno.test("chooseTexts() speaks all our languages for a widget without texts of its own", () => {
  const plain = { default_language: "de", texts: {} };

  assert.equal(chooseTexts("chat", plain, "fr-CA").texts.send, "Envoyer");
  assert.equal(chooseTexts("chat", plain, "sv").language, "de");
  assert.deepEqual(
    chooseTexts("chat", plain, undefined).available_languages.toSorted(),
    Object.keys(BUILT_IN_TEXTS.chat).toSorted(),
  );
});

Deno.test("chooseTexts() offers the default language even where no text is in it", () => {
  const chosen = chooseTexts("chat", { default_language: "sv", texts: { es: { welcome: "Hola" } } }, "da");

  assert.deepEqual([chosen.language, chosen.texts.send], ["sv", "Send"]);
  assert.ok(chosen.available_languages.includes("sv"));
});

Deno.test("chooseTexts() promises no time to answer that the company did not promise", () => {
  const config = { default_language: "en", texts: { en: { subtitle: "Mondays to Fridays" } } };

  for (const language of Object.keys(BUILT_IN_TEXTS.chat)) {
    assert.equal(chooseTexts("chat", { default_language: "en", texts: {} }, language).texts.subtitle, "");
  }
  assert.equal(chooseTexts("chat", config, "en").texts.subtitle, "Mondays to Fridays");
});

/** Empty unless the company writes them. */
const OF_THE_COMPANY = ["subtitle", "launcher_text"];

Deno.test("every built-in language has every text, with the same placeholders", () => {
  const placeholders = (text: string) => (text.match(/\{\w+\}/g) ?? []).toSorted();
  for (const [kind, languages] of Object.entries(BUILT_IN_TEXTS)) {
    for (const [language, texts] of Object.entries(languages)) {
      assert.deepEqual(Object.keys(texts).toSorted(), Object.keys(languages.en).toSorted(), language);
      for (const [name, english] of Object.entries(languages.en)) {
        const text = (texts as Record<string, string>)[name]!;
        const label = `${kind} ${language} ${name}`;
        assert.equal(text === "", OF_THE_COMPANY.includes(name), label);
        assert.deepEqual(placeholders(text), placeholders(english), label);
      }
    }
  }
});
