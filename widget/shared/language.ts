/** Built-in words for the time before the widget's own texts are loaded, or when they cannot be loaded. */
export interface Labels {
  close: string;
  unavailable: string;
  retry: string;
}

const LABELS: Record<string, [close: string, unavailable: string, retry: string]> = {
  en: ["Close", "Not available right now", "Try again"],
  es: ["Cerrar", "No disponible en este momento", "Reintentar"],
  pt: ["Fechar", "Indisponível neste momento", "Tentar de novo"],
  fr: ["Fermer", "Indisponible pour le moment", "Réessayer"],
  de: ["Schließen", "Gerade nicht erreichbar", "Noch einmal"],
  it: ["Chiudi", "Non disponibile in questo momento", "Riprova"],
  nl: ["Sluiten", "Nu niet beschikbaar", "Opnieuw proberen"],
  pl: ["Zamknij", "Teraz niedostępne", "Spróbuj ponownie"],
  tr: ["Kapat", "Şu anda kullanılamıyor", "Yeniden dene"],
  ar: ["إغلاق", "غير متاح حاليًا", "حاول مرة أخرى"],
  hi: ["बंद करें", "अभी उपलब्ध नहीं है", "फिर से कोशिश करें"],
  ja: ["閉じる", "現在ご利用いただけません", "もう一度試す"],
  zh: ["关闭", "暂时无法使用", "重试"],
};

/** Returns the built-in words in a language, or in English. */
export function labelsIn(language: string): Labels {
  const [close, unavailable, retry] = LABELS[baseOf(language)] ?? LABELS.en!;
  return { close, unavailable, retry };
}

/** Languages that are written from right to left. */
const RIGHT_TO_LEFT = /^(ar|arc|ckb|dv|fa|he|ks|ps|sd|ug|ur|yi)$/;

/** Returns the direction in which a language is written. */
export function directionOf(language: string): "ltr" | "rtl" {
  return RIGHT_TO_LEFT.test(baseOf(language)) ? "rtl" : "ltr";
}

/** Returns a language without its region. */
export function baseOf(language: string): string {
  return language.toLowerCase().split("-")[0]!;
}
