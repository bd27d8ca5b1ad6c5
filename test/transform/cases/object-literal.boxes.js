return await (({ a: 1          , b: [2] }

))