/** The languages of the opt-out words, the most widely used first. */
export const LANGUAGES = ["en", "es", "pt", "fr", "de", "it", "nl", "pl", "tr", "ar", "hi", "id"] as const;

export type Language = typeof LANGUAGES[number];

/** The confirmation of an opt-out. Each names the word by which the person comes back. */
export const CONFIRMATIONS: Record<Language, string> = {
  en: "You will not receive any more promotions from us. Reply START to receive them again.",
  es: "Ya no recibirás promociones nuestras. Responde ALTA para volver a recibirlas.",
  pt: "Você não receberá mais promoções nossas. Responda REATIVAR para recebê-las de novo.",
  fr: "Vous ne recevrez plus nos promotions. Répondez REPRENDRE pour les recevoir à nouveau.",
  de: "Sie erhalten keine Werbung mehr von uns. Antworten Sie START, um sie wieder zu erhalten.",
  it: "Non riceverai più le nostre promozioni. Rispondi RIPRENDI per riceverle di nuovo.",
  nl: "U ontvangt geen aanbiedingen meer van ons. Antwoord START om ze weer te ontvangen.",
  pl: "Nie otrzymasz już od nas promocji. Odpowiedz START, aby znów je otrzymywać.",
  tr: "Artık bizden promosyon mesajı almayacaksınız. Yeniden almak için BAŞLAT yazın.",
  ar: "لن تصلك عروضنا الترويجية بعد الآن. أرسل ابدأ لتلقيها مرة أخرى.",
  hi: "अब आपको हमारे प्रचार संदेश नहीं मिलेंगे। उन्हें फिर से पाने के लिए START लिखें।",
  id: "Anda tidak akan menerima promosi kami lagi. Balas MULAI untuk menerimanya kembali.",
};
