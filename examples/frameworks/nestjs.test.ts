import { Body, Controller, Get, Module, Post } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import type { NestExpressApplication } from '@nestjs/platform-express'
import { describeShop, type Shop } from './describe-shop.test-support.ts'

class ShopController {
  hello() {
    return { hello: 'shop' }
  }

  echo(body: unknown) {
    return body
  }
}

// As decorators, which Node does not read.
const methodOf = (name: 'hello' | 'echo') =>
  [ShopController.prototype, name, { value: ShopController.prototype[name] }] as const
Get('hello')(...methodOf('hello'))
Post('echo')(...methodOf('echo'))
Body()(ShopController.prototype, 'echo', 0)
Controller()(ShopController)

class ShopModule {}
Module({ controllers: [ShopController] })(ShopModule)

async function startShop(shop: NestExpressApplication): Promise<Shop> {
  await shop.listen(0, '127.0.0.1')
  return { server: shop.getHttpServer(), close: () => shop.close() }
}

describeShop('NestJS', async (petApp) => {
  const shop = await NestFactory.create<NestExpressApplication>(ShopModule, { logger: false })
  shop.use('/pets-api', petApp)
  return startShop(shop)
})

describeShop('NestJS with bodyParser: false', async (petApp) => {
  const options = { bodyParser: false, logger: false } as const
  const shop = await NestFactory.create<NestExpressApplication>(ShopModule, options)
  shop.use('/pets-api', petApp)
  shop.useBodyParser('json')
  return startShop(shop)
})
