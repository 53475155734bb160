import type { ButtonDraft, Category } from "./draft.ts";

/** The languages of the library, as the platform writes them. */
export const LIBRARY_LANGUAGES = [
  ["en_US", "English"],
  ["es", "Español"],
  ["pt_BR", "Português"],
] as const;

export type LibraryLanguage = typeof LIBRARY_LANGUAGES[number][0];

/** The texts of one language. */
interface LibraryTexts {
  title: string;
  body: string;
  examples: string[];
  buttons?: ButtonDraft[];
}

/** A template to begin from. */
export interface LibraryTemplate {
  name: string;
  category: Category;
  texts: Record<LibraryLanguage, LibraryTexts>;
}

const reply = (text: string): ButtonDraft => ({ type: "QUICK_REPLY", text, url: "" });
const link = (text: string, url: string): ButtonDraft => ({ type: "URL", text, url });

/** Texts that reviewers accept: they say why the person gets them, and nothing else. */
export const LIBRARY: LibraryTemplate[] = [
  {
    name: "order_confirmed",
    category: "UTILITY",
    texts: {
      en_US: {
        title: "Order update",
        body: "Hello {1}, we have received your order {2}. We will write again when it leaves.",
        examples: ["Ana", "A-1001"],
        buttons: [link("See the order", "https://example.com/orders/{1}")],
      },
      es: {
        title: "Novedad de un pedido",
        body: "Hola {1}, hemos recibido tu pedido {2}. Te avisaremos cuando salga.",
        examples: ["Ana", "A-1001"],
        buttons: [link("Ver el pedido", "https://example.com/orders/{1}")],
      },
      pt_BR: {
        title: "Novidade de um pedido",
        body: "Olá {1}, recebemos o seu pedido {2}. Avisaremos quando ele sair.",
        examples: ["Ana", "A-1001"],
        buttons: [link("Ver o pedido", "https://example.com/orders/{1}")],
      },
    },
  },
  {
    name: "appointment_tomorrow",
    category: "UTILITY",
    texts: {
      en_US: {
        title: "Appointment reminder",
        body: "Hello {1}, we remind you of your appointment on {2} at {3}. Can you come?",
        examples: ["Ana", "Monday 4", "10:30"],
        buttons: [reply("I will come"), reply("Another time")],
      },
      es: {
        title: "Recordatorio de cita",
        body: "Hola {1}, te recordamos tu cita del {2} a las {3}. ¿Podrás venir?",
        examples: ["Ana", "lunes 4", "10:30"],
        buttons: [reply("Sí, iré"), reply("Cambiar la cita")],
      },
      pt_BR: {
        title: "Lembrete de consulta",
        body: "Olá {1}, lembramos a sua consulta de {2} às {3}. Você poderá vir?",
        examples: ["Ana", "segunda-feira, 4", "10:30"],
        buttons: [reply("Sim, irei"), reply("Mudar a consulta")],
      },
    },
  },
  {
    name: "delivery_today",
    category: "UTILITY",
    texts: {
      en_US: {
        title: "Delivery",
        body:
          "Hello {1}, your parcel {2} arrives today between {3}. Please make sure that it can be handed over.",
        examples: ["Ana", "A-1001", "10:00 and 12:00"],
        buttons: [link("Follow it", "https://example.com/track/{1}")],
      },
      es: {
        title: "Entrega",
        body: "Hola {1}, tu paquete {2} llega hoy entre las {3}. Procura que haya alguien en casa.",
        examples: ["Ana", "A-1001", "10:00 y las 12:00"],
        buttons: [link("Seguir el envío", "https://example.com/track/{1}")],
      },
      pt_BR: {
        title: "Entrega",
        body: "Olá {1}, o seu pacote {2} chega hoje entre {3}. Deixe alguém em casa.",
        examples: ["Ana", "A-1001", "10h e 12h"],
        buttons: [link("Acompanhar", "https://example.com/track/{1}")],
      },
    },
  },
  {
    name: "payment_due",
    category: "UTILITY",
    texts: {
      en_US: {
        title: "Payment reminder",
        body: "Hello {1}, your invoice {2} of {3} is due on {4}. If you have paid it, you need do nothing.",
        examples: ["Ana", "F-204", "€ 25.00", "4 March"],
        buttons: [link("Pay", "https://example.com/invoices/{1}")],
      },
      es: {
        title: "Recordatorio de pago",
        body: "Hola {1}, tu factura {2} de {3} vence el {4}. Si ya la pagaste, no tienes que hacer nada.",
        examples: ["Ana", "F-204", "25,00 €", "4 de marzo"],
        buttons: [link("Pagar", "https://example.com/invoices/{1}")],
      },
      pt_BR: {
        title: "Lembrete de pagamento",
        body: "Olá {1}, a sua fatura {2} de {3} vence em {4}. Se você já pagou, não precisa fazer nada.",
        examples: ["Ana", "F-204", "R$ 25,00", "4 de março"],
        buttons: [link("Pagar", "https://example.com/invoices/{1}")],
      },
    },
  },
  {
    name: "verification_code",
    category: "AUTHENTICATION",
    texts: {
      en_US: { title: "Verification", body: "", examples: [] },
      es: { title: "Verificación", body: "", examples: [] },
      pt_BR: { title: "Verificação", body: "", examples: [] },
    },
  },
  {
    name: "order_feedback",
    category: "UTILITY",
    texts: {
      en_US: {
        title: "Feedback",
        body: "Hello {1}, your order {2} has arrived. How did it go?",
        examples: ["Ana", "A-1001"],
        buttons: [reply("Well"), reply("Not so well")],
      },
      es: {
        title: "Opinión",
        body: "Hola {1}, tu pedido {2} ha llegado. ¿Cómo fue todo?",
        examples: ["Ana", "A-1001"],
        buttons: [reply("Bien"), reply("No tan bien")],
      },
      pt_BR: {
        title: "Opinião",
        body: "Olá {1}, o seu pedido {2} chegou. Como foi tudo?",
        examples: ["Ana", "A-1001"],
        buttons: [reply("Bem"), reply("Nem tanto")],
      },
    },
  },
  {
    name: "back_in_stock",
    category: "MARKETING",
    texts: {
      en_US: {
        title: "Back in stock",
        body: "Good news, {1}! The {2} that you were waiting for is here again. 🎉",
        examples: ["Ana", "blue jacket"],
        buttons: [link("See it", "https://example.com/products/{1}"), reply("Stop offers")],
      },
      es: {
        title: "De nuevo disponible",
        body: "¡Buenas noticias, {1}! Ya está aquí otra vez: {2}, que esperabas. 🎉",
        examples: ["Ana", "la chaqueta azul"],
        buttons: [link("Verlo", "https://example.com/products/{1}"), reply("Sin ofertas")],
      },
      pt_BR: {
        title: "De volta ao estoque",
        body: "Boas notícias, {1}! Chegou de novo: {2}, que você esperava. 🎉",
        examples: ["Ana", "a jaqueta azul"],
        buttons: [link("Ver", "https://example.com/products/{1}"), reply("Sem ofertas")],
      },
    },
  },
  {
    name: "welcome",
    category: "MARKETING",
    texts: {
      en_US: {
        title: "Welcome",
        body: "Welcome, {1}! 👋 Here you get our news, and can ask us anything. Write whenever you like.",
        examples: ["Ana"],
        buttons: [reply("I have a question"), reply("Stop offers")],
      },
      es: {
        title: "Bienvenida",
        body:
          "¡Te damos la bienvenida, {1}! 👋 Aquí recibes nuestras novedades y puedes preguntarnos lo que quieras.",
        examples: ["Ana"],
        buttons: [reply("Tengo una pregunta"), reply("Sin ofertas")],
      },
      pt_BR: {
        title: "Boas-vindas",
        body: "Boas-vindas, {1}! 👋 Aqui você recebe as nossas novidades e pode perguntar o que quiser.",
        examples: ["Ana"],
        buttons: [reply("Tenho uma pergunta"), reply("Sem ofertas")],
      },
    },
  },
];
